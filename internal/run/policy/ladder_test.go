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

func shadow(layer sessionevents.Layer, issue string, cycle int) *sessionevents.Signal {
	return &sessionevents.Signal{
		Run: "r", ID: "sig", Layer: layer, Detector: "RW-3", Subject: issue, Cycle: cycle, AgentID: "maker-1",
		Message: "Write a test.", Reason: "No test.",
	}
}

// RW-40: who listens for a session hears of what it is told; what is for the
// orchestrator is about the run.
func TestCorrectionsAreHeardBySession(t *testing.T) {
	p := newPlayer(t)
	p.feed(&sessionevents.SessionOpened{Session: "s1", Run: "r", Agent: &sessionevents.Agent{ID: "maker-1"}})
	for _, subject := range []string{"s1", "r"} {
		var told []string
		for _, e := range p.feed(shadow(sessionevents.LayerArchetype, "maker/rogue", 1)) {
			if e.Type == runevents.TypeCorrectionIssued {
				told = append(told, e.Subject)
			}
		}
		require.Equal(t, []string{subject}, told)
	}
}

func TestLadder(t *testing.T) { // RW-40
	for _, c := range []struct {
		layer      sessionevents.Layer
		target     runevents.Recipient
		second     runevents.CorrectionAction
		to         runevents.RecipientKind
		escalation string
	}{
		{sessionevents.LayerArchetype, runevents.Recipient{Kind: "agent", ID: "maker-1", Session: "s1"}, "replace", "orchestrator", "task needs re-scoping"},
		{sessionevents.LayerSystem, runevents.Recipient{Kind: "agent", ID: "maker-1", Session: "s1"}, "pause", "user", "systemic issue"},
		{sessionevents.LayerPolicy, runevents.Recipient{Kind: "orchestrator"}, "stop", "orchestrator", "resource limits reached"},
	} {
		t.Run(string(c.layer), func(t *testing.T) {
			p := newPlayer(t)
			p.feed(&sessionevents.SessionOpened{Session: "s1", Run: "r", Agent: &sessionevents.Agent{ID: "maker-1"}})
			first := of[runevents.CorrectionIssued](p.feed(shadow(c.layer, "an/issue", 1)))
			require.Equal(t, []*runevents.CorrectionIssued{{
				Layer: c.layer, Issue: "an/issue", Step: 1, Action: "correct", Text: "Write a test.", Target: c.target, Cause: "sig",
				Rule: "RW-3", Reason: "No test.",
			}}, first)
			second := of[runevents.CorrectionIssued](p.feed(shadow(c.layer, "an/issue", 2)))
			require.Len(t, second, 1)
			require.Equal(t, c.second, second[0].Action)
			require.Equal(t, c.to, second[0].Target.Kind)
			require.Contains(t, second[0].Text, "RW-3 (issue) came back after the correction. No test. ")
			require.Contains(t, second[0].Text, "Write a test.")
			third := of[runevents.EscalationRaised](p.feed(shadow(c.layer, "an/issue", 3)))
			require.Len(t, third, 1)
			require.Equal(t, "RW-3 (issue) was seen 3 times, the last time: No test. Neither step before it helped: "+c.escalation+".", third[0].Text)
			require.Equal(t, runevents.RecipientUser, third[0].To)

			require.Empty(t, p.feed(shadow(c.layer, "an/issue", 4)), "a person has been asked already")
			p.feed(&runevents.OperatorAct{Act: "ack", Run: "r", By: "ada"})
			again := of[runevents.EscalationRaised](p.feed(shadow(c.layer, "an/issue", 5)))
			require.Len(t, again, 1)
			require.Contains(t, again[0].Text, "5 times")
		})
	}
}

func TestIssuesAreCountedApart(t *testing.T) { // RW-40: keyed by run, layer and issue
	p := newPlayer(t)
	for _, s := range []*sessionevents.Signal{
		shadow(sessionevents.LayerArchetype, "maker/rogue", 1), shadow(sessionevents.LayerArchetype, "sage/bureaucrat", 1),
		shadow(sessionevents.LayerSystem, "maker/rogue", 1),
	} {
		require.Equal(t, 1, of[runevents.CorrectionIssued](p.feed(s))[0].Step)
	}
	other := shadow(sessionevents.LayerArchetype, "maker/rogue", 1)
	other.Run = "r2"
	out := p.feed(other)
	require.Equal(t, 1, of[runevents.CorrectionIssued](out)[0].Step)
	require.Equal(t, "r2", out[0].Subject, "it is about the run it names")
}

func TestNoLadderForOthers(t *testing.T) {
	p := newPlayer(t)
	immune := shadow(sessionevents.LayerArchetype, "guardian/paranoid", 1)
	immune.Suppressed = "genuine CRITICALs"
	for range 4 {
		require.Empty(t, p.feed(immune), "RW-8")
		require.Empty(t, p.feed(&sessionevents.Signal{Session: "s", Layer: sessionevents.LayerSession, Detector: "A1", Subject: "x"}))
		require.Empty(t, p.feed(&sessionevents.Signal{Run: "r", Layer: sessionevents.LayerWave, Detector: "WP-4", Subject: "x"}))
	}
}

func TestRepeatedShadowIsTheThirdStep(t *testing.T) { // RW-30, RW-40
	p := newPlayer(t)
	p.feed(shadow(sessionevents.LayerArchetype, "maker/rogue", 1), shadow(sessionevents.LayerArchetype, "maker/rogue", 1))
	out := p.feed(shadow(sessionevents.LayerArchetype, "maker/rogue", 1))
	broken := of[runevents.WiggumBreak](out)
	require.Len(t, broken, 1)
	require.Equal(t, runevents.TriggerRepeatedShadow, broken[0].Trigger)
	require.Len(t, broken[0].Evidence, 3)
	escalations := of[runevents.EscalationRaised](out)
	require.Len(t, escalations, 1, "the break's own")
	require.Equal(t, "break/repeated_shadow", escalations[0].Issue)
}

func TestShadowsOfOtherCyclesDoNotBreak(t *testing.T) { // RW-30
	p := newPlayer(t)
	for cycle := range 3 {
		for range 2 {
			require.Empty(t, of[runevents.WiggumBreak](p.feed(shadow(sessionevents.LayerArchetype, "maker/rogue", cycle+1))))
		}
	}
}

func TestSystemIssuesPauseTheRun(t *testing.T) { // RW-40, RW-33
	p := newPlayer(t)
	p.feed(&sessionevents.SessionOpened{Session: "s1", Run: "r"}, shadow(sessionevents.LayerSystem, "system/tunnel_vision", 1))
	changes := of[runevents.ControlChanged](p.feed(shadow(sessionevents.LayerSystem, "system/tunnel_vision", 2)))
	require.Len(t, changes, 2)
	require.Equal(t, runevents.ControlPaused, changes[0].State)
	require.Equal(t, runevents.ControlPaused, changes[1].State)
	changes = of[runevents.ControlChanged](p.feed(&runevents.OperatorAct{Act: "resume", Run: "r", By: "ada", Why: "looked at it"}))
	require.Len(t, changes, 2)
	require.Equal(t, &runevents.ControlChanged{State: runevents.ControlRunning, Who: "ada", Why: "looked at it", Scope: "run"}, changes[0])
}

func TestPolicyIssuesStopTheRun(t *testing.T) { // RW-40
	p := newPlayer(t)
	p.feed(shadow(sessionevents.LayerPolicy, "policy/context_prompt", 1))
	broken := of[runevents.WiggumBreak](p.feed(shadow(sessionevents.LayerPolicy, "policy/context_prompt", 2)))
	require.Len(t, broken, 1)
	require.Equal(t, runevents.BreakSoft, broken[0].Kind)
	require.Equal(t, runevents.TriggerCheckpoint, broken[0].Trigger)
	require.Contains(t, broken[0].Reason, "Force stop with clean state")
}

func TestDecisionsOfSignalsCloseTheirEvent(t *testing.T) { // run.evaluated names them
	p := newPlayer(t)
	signal := p.event(shadow(sessionevents.LayerArchetype, "maker/rogue", 1))
	signal.CausationID = "e2"
	correction := p.fold(signal)
	closing := of[runevents.RunEvaluated](p.feed(&runevents.AgentCompleted{AgentID: "maker-1", Outcome: "success"}))
	require.Equal(t, "e2", closing[0].Event)
	require.Equal(t, correction[0].ID, closing[0].Decisions[0])
	require.Len(t, closing[0].Decisions, 2, "and that the run goes on, which its signal told first")
	require.Equal(t, []string{}, of[runevents.RunEvaluated](p.feed(&runevents.AgentCompleted{AgentID: "maker-2", Outcome: "success"}))[0].Decisions)
}

func TestBoundedLadder(t *testing.T) {
	p := newPlayer(t)
	for i := range 500 {
		p.feed(shadow(sessionevents.LayerArchetype, fmt.Sprint("issue-", i), i))
	}
	require.Len(t, p.state.Ladder, p.config.Kept.Issues)
	require.Len(t, p.state.Shadows, p.config.Kept.Issues)
}

// What a layer concludes in the group of a project is about another run: nothing
// there can be halted; what is escalated there is kept and raised again (RW-41).
func TestOtherGroups(t *testing.T) {
	p := newPlayer(t)
	p.request = func(v *run.Context) {
		v.ConcludeAbout("r2", runevents.TypeEscalationRaised, &runevents.EscalationRaised{Layer: sessionevents.LayerPipeline, Issue: "x", Run: "r2"})
	}
	ev := p.event(&events.TimerExpired{Name: "shadow.project"})
	ev.PartitionKey, ev.Subject = "project-x", "r2"
	raise := func() (id string, set *events.TimerSet) {
		ev.ID = fmt.Sprint("raise-", p.n)
		p.n++
		out := p.fold(ev)
		require.Len(t, out, 2)
		require.Equal(t, "r2", out[0].Subject)
		require.Empty(t, p.state.Run)
		set = out[1].Data.(*events.TimerSet)
		require.Empty(t, set.Group, "it goes off where it was set")
		require.Equal(t, "r2", set.Run)
		return out[0].ID, set
	}
	in := func(data any) []events.Event {
		one := p.event(data)
		one.PartitionKey, one.Subject = "project-x", "r2"
		return p.fold(one)
	}
	first, set := raise()
	second, _ := raise()
	p.request = nil
	reminders := of[runevents.EscalationRaised](in(&events.TimerExpired{Name: set.Name, Run: set.Run}))
	require.Len(t, reminders, 1)
	require.True(t, reminders[0].Reminder)
	require.Equal(t, first, reminders[0].Of)
	require.Equal(t, "r2", reminders[0].Run)
	require.Empty(t, of[runevents.EscalationRaised](in(&events.TimerExpired{Name: set.Name, Run: set.Run})), "once")

	in(&runevents.OperatorAct{Act: runevents.ActAck, Run: "r2", Target: second, By: "ann"})
	require.Len(t, p.state.Escalations, 1)
	require.Empty(t, of[runevents.EscalationRaised](in(&events.TimerExpired{Name: "run.reminder." + second, Run: "r2"})), "acknowledged")
	in(&runevents.OperatorAct{Act: runevents.ActAck, Run: "r2", Target: first, By: "ann"})
	require.Empty(t, p.state.Escalations)
}
