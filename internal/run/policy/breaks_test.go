package policy

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// requesting plays one event on which another layer requests these.
func (p *player) requesting(data any, requests ...func(*run.Context)) []events.Event {
	p.request = func(v *run.Context) {
		for _, request := range requests {
			request(v)
		}
	}
	defer func() { p.request = nil }()
	return p.feed(data)
}

func isolation(v *run.Context) {
	v.RequestBreak(runevents.WiggumBreak{
		Kind: runevents.BreakHard, Trigger: runevents.TriggerIsolationFailure, Reason: "Agent B has no commits.", WIPAction: runevents.WIPNone,
		Evidence: []string{"e1"}, Options: []runevents.Option{{ID: "1", Text: "Re-run wave (safest)"}},
	})
}

func TestOneBreakPerScope(t *testing.T) { // RW-32
	p := newPlayer(t)
	soft := func(v *run.Context) {
		v.RequestBreak(runevents.WiggumBreak{Kind: runevents.BreakSoft, Trigger: runevents.TriggerBudget95, Reason: "soft"})
	}
	out := p.requesting(agent("success"), soft, isolation, isolation)
	broken := of[runevents.WiggumBreak](out)
	require.Len(t, broken, 1, "of two requests in one event the hard one")
	require.Equal(t, runevents.BreakHard, broken[0].Kind)
	require.Equal(t, runevents.WIPNone, broken[0].WIPAction, "the layer's")
	require.Len(t, of[runevents.BreakNoted](out), 2)

	p = newPlayer(t)
	pending := p.requesting(agent("success"), soft)
	out = p.requesting(agent("success"), isolation)
	broken = of[runevents.WiggumBreak](out)
	require.Len(t, broken, 1)
	require.Equal(t, idOf[runevents.WiggumBreak](pending), broken[0].Upgrades)
	require.Len(t, p.state.Escalations, 1, "one report of one halt")
	require.Empty(t, of[runevents.WiggumBreak](p.requesting(agent("success"), soft)))
}

// idOf is the id of the first event with data of a type.
func idOf[T any](list []events.Event) string {
	for _, e := range list {
		if _, is := e.Data.(*T); is {
			return e.ID
		}
	}
	return ""
}

func TestReportOfALayer(t *testing.T) { // WP-1: the layer's own escalation is the break's report
	report := func(v *run.Context) {
		v.Escalate(runevents.EscalationRaised{Layer: sessionevents.LayerWave, Issue: "wave/isolation", To: "user", Text: "B is empty.", Options: []runevents.Option{{ID: "1"}}})
	}
	for name, order := range map[string][]func(*run.Context){"before": {report, isolation}, "behind": {isolation, report}} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			out := p.requesting(agent("success"), order...)
			raised := of[runevents.EscalationRaised](out)
			require.Len(t, raised, 1)
			require.Equal(t, "wave/isolation", raised[0].Issue)
			require.Equal(t, idOf[runevents.WiggumBreak](out), p.state.Escalations[0].Break)
		})
	}
	p := newPlayer(t)
	raised := of[runevents.EscalationRaised](p.requesting(agent("success"), isolation))
	require.Len(t, raised, 1)
	require.Equal(t, "break/isolation_failure", raised[0].Issue)
	require.Equal(t, sessionevents.LayerWave, raised[0].Layer)
	require.Equal(t, []runevents.Option{{ID: "1", Text: "Re-run wave (safest)"}}, raised[0].Options)
}

func TestSessionBreak(t *testing.T) { // RW-35: that session alone
	stuck := func(session string) func(*run.Context) {
		return func(v *run.Context) {
			v.RequestBreak(runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Scope: runevents.ScopeSession, Session: session, Turn: 3, Reason: "3 failed turns."})
		}
	}
	p := newPlayer(t)
	p.feed(&sessionevents.SessionOpened{Session: "s1", Run: "r"}, &sessionevents.SessionOpened{Session: "s2", Run: "r"})
	out := p.requesting(&sessionevents.TurnEvaluated{Session: "s1", Run: "r", Turn: 3}, stuck("s1"))
	broken := of[runevents.WiggumBreak](out)
	require.Len(t, broken, 1)
	require.Equal(t, runevents.ScopeSession, broken[0].Scope)
	require.Equal(t, "r", broken[0].Run)
	require.Equal(t, 3, broken[0].Turn)
	require.Equal(t, "s1", out[0].Subject)
	changes := of[runevents.ControlChanged](out)
	require.Len(t, changes, 1, "neither the run nor its other session")
	require.Equal(t, runevents.ScopeSession, changes[0].Scope)
	require.Len(t, of[runevents.HaltIgnored](p.feed(&sessionevents.TurnEvaluated{Session: "s1", Run: "r", Turn: 4})), 1)
	require.Empty(t, p.feed(&sessionevents.TurnEvaluated{Session: "s2", Run: "r", Turn: 1}))

	// A resume of the run leaves the session's own halt.
	p.feed(agent("failure"), agent("failure"), agent("failure"))
	require.Len(t, of[runevents.ControlChanged](p.feed(resume())), 2, "the run and s2")
	out = p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", Session: "s1", By: "ada", Why: "the proxy works"})
	changes = of[runevents.ControlChanged](out)
	require.Len(t, changes, 1)
	require.Equal(t, &runevents.ControlChanged{State: runevents.ControlRunning, Who: "ada", Why: "the proxy works", Scope: "session", Run: "r"}, changes[0])
}

func TestSessionWithoutRun(t *testing.T) { // RW-35, RW-33
	p := newPlayer(t)
	ofSession := func(data any) events.Event {
		ev := p.event(data)
		ev.Subject, ev.PartitionKey = "s1", "s1"
		return ev
	}
	first := p.fold(ofSession(&sessionevents.TurnEvaluated{Session: "s1", Turn: 1}))
	require.Equal(t, []*runevents.ControlChanged{{State: runevents.ControlRunning, Scope: "session"}}, of[runevents.ControlChanged](first))
	p.request = func(v *run.Context) {
		v.RequestBreak(runevents.WiggumBreak{Kind: runevents.BreakSoft, Trigger: runevents.TriggerStuckLoop, Scope: runevents.ScopeSession, Session: "s1", Turn: 2, Reason: "The same call 12 times."})
	}
	out := p.fold(ofSession(&sessionevents.TurnEvaluated{Session: "s1", Turn: 2}))
	p.request = nil
	require.Equal(t, runevents.ControlHalted, of[runevents.ControlChanged](out)[0].State, "its turn has just ended")
	require.Equal(t, "s1", of[runevents.EscalationRaised](out)[0].Session)
	require.Empty(t, p.fold(ofSession(&sessionevents.TurnEvaluated{Session: "s1", Turn: 3})), "a soft break: no offence")
	out = p.fold(ofSession(&runevents.OperatorAct{Act: "resume", Session: "s1", By: "ada", Why: "told it what to do"}))
	require.Equal(t, runevents.ControlRunning, of[runevents.ControlChanged](out)[0].State)
	closing := of[runevents.RunEvaluated](out)
	require.Len(t, closing, 1, "who resumed it waits for that")
	require.Equal(t, runevents.ControlRunning, closing[0].State)
	require.Empty(t, p.fold(ofSession(&runevents.OperatorAct{Act: "mute", Session: "s1", By: "ada"})))
	require.Empty(t, p.state.Run)
}

func TestObserveModeHaltsNothing(t *testing.T) { // DP-25
	p := newPlayer(t)
	p.config.ObserveOnly = true
	p.feed(&sessionevents.SessionOpened{Session: "s1", Run: "r", Agent: &sessionevents.Agent{ID: "maker-1"}}, agent("failure"), agent("failure"))
	out := p.feed(agent("failure"))
	require.Len(t, of[runevents.WiggumBreak](out), 1)
	require.Empty(t, of[runevents.ControlChanged](out))
	require.Equal(t, runevents.ControlRunning, of[runevents.RunEvaluated](out)[0].State)
	require.Empty(t, p.feed(&sessionevents.TurnEvaluated{Session: "s1", Run: "r", Turn: 1}))
	correction := of[runevents.CorrectionIssued](p.feed(shadow(sessionevents.LayerArchetype, "maker/rogue", 1)))
	require.Empty(t, correction[0].Target.Session, "told, not delivered")
	out = p.requesting(agent("success"), func(v *run.Context) { v.Interrupt(sessionevents.InterruptFired{Session: "s1"}) })
	require.Empty(t, of[sessionevents.InterruptFired](out))
}

func TestInterruptIsCompleted(t *testing.T) { // RW-40: outside the budget
	p := newPlayer(t)
	p.feed(&sessionevents.TurnEvaluated{Session: "s1", Run: "r", Turn: 7})
	out := p.requesting(agent("success"), func(v *run.Context) {
		v.Interrupt(sessionevents.InterruptFired{Session: "s1", Detector: "WP-4", Layer: sessionevents.LayerWave, Message: "Commit in your worktree."})
	})
	fired := of[sessionevents.InterruptFired](out)
	require.Len(t, fired, 1)
	require.Equal(t, sessionevents.InterruptFired{
		Session: "s1", Run: "r", Turn: 7, ID: idOf[sessionevents.InterruptFired](out), Layer: sessionevents.LayerWave, Detector: "WP-4", Signals: []string{},
		UrgencyLabel: "WP-4", Message: "Commit in your worktree.", HoldUntil: "immediate", ExpiresTurn: 10, Target: sessionevents.Target{Session: "s1"},
	}, *fired[0])
}

func TestUnresolvedFindings(t *testing.T) { // RW-32: the gravest first, bounded
	p := newPlayer(t)
	var many []runevents.Finding
	for i := range 80 {
		many = append(many, runevents.Finding{ID: fmt.Sprint("F", i), Severity: runevents.SeverityInfo})
	}
	p.feed(&runevents.CycleCompleted{Cycle: 1, Findings: many})
	p.feed(&runevents.ReviewCompleted{Reviewer: "g", Findings: []runevents.Finding{{ID: "F0", State: "fixed"}, {ID: "C", Severity: runevents.SeverityCritical}}})
	p.feed(agent("failure"), agent("failure"))
	broken := of[runevents.WiggumBreak](p.feed(agent("failure")))[0]
	require.Len(t, broken.UnresolvedFindings, p.config.Kept.Unresolved)
	require.Equal(t, "C", broken.UnresolvedFindings[0].ID)
	require.Equal(t, "F1", broken.UnresolvedFindings[1].ID, "F0 is fixed")
	require.Equal(t, "Best result so far: cycle 1 with 80 open findings.", broken.Present)
}

func TestSoftBreaksWithoutTasksOrTurns(t *testing.T) { // RW-33: the end of a phase or cycle, not of an agent
	p := newPlayer(t)
	p.feed(&runevents.SpendReported{Spent: 95, Limit: 100})
	require.Equal(t, runevents.ControlDraining, of[runevents.RunEvaluated](p.feed(agent("success")))[0].State)
	require.Equal(t, runevents.ControlHalted, of[runevents.RunEvaluated](p.feed(&runevents.PhaseCompleted{Phase: "do"}))[0].State)
}

func TestSuiteIsOfTheMerge(t *testing.T) { // RW-30
	for name, test := range map[string]struct {
		merged bool
		run    runevents.TestCompleted
		want   int
	}{
		"first of all since the merge": {true, runevents.TestCompleted{}, 1},
		"told":                         {false, runevents.TestCompleted{AfterMerge: new(true)}, 1},
		"told, in part":                {true, runevents.TestCompleted{AfterMerge: new(true), Scope: scoped}, 1},
		"told that it is not":          {true, runevents.TestCompleted{AfterMerge: new(false)}, 0},
		"in part":                      {true, runevents.TestCompleted{Scope: scoped}, 0},
		"no merge":                     {false, runevents.TestCompleted{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			if test.merged {
				p.feed(&runevents.MergeCompleted{SHA: "abc1234"})
			}
			require.Len(t, of[runevents.WiggumBreak](p.feed(&test.run)), test.want)
		})
	}
}
