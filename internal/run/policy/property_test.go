package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var (
	actors   = rapid.SampledFrom([]runevents.Actor{{Kind: runevents.ActorOrchestrator}, {Kind: runevents.ActorHuman, ID: "ada"}, {Kind: runevents.ActorInfra}, {}})
	outcomes = rapid.SampledFrom([]string{"success", "failure", "failure", "timeout", "", "odd"})
	numbers  = rapid.IntRange(-3, 5)
	sessions = rapid.SampledFrom([]string{"s1", "s2", "s3", ""})
	amounts  = rapid.SampledFrom([]float64{-1, 0, 10, 50, 79.9, 80, 95, 100, 250})
	layers   = rapid.SampledFrom([]sessionevents.Layer{sessionevents.LayerArchetype, sessionevents.LayerSystem, sessionevents.LayerPolicy, sessionevents.LayerSession, ""})
	triggers = rapid.SampledFrom([]runevents.BreakTrigger{runevents.TriggerIsolationFailure, runevents.TriggerStuckLoop, runevents.TriggerBudget95, "odd"})
	kinds    = rapid.SampledFrom([]runevents.BreakKind{runevents.BreakHard, runevents.BreakSoft, ""})
	texts    = rapid.SampledFrom([]string{"", "x", "ada", "s1", "r", strings.Repeat("long ", 500)})
)

func findings(t *rapid.T) []runevents.Finding {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) runevents.Finding {
		return runevents.Finding{
			ID: rapid.SampledFrom([]string{"", "F1", "F2", "F3", "F4"}).Draw(t, "id"), Text: texts.Draw(t, "text"),
			Severity: rapid.SampledFrom([]runevents.Severity{"CRITICAL", "WARNING", "odd"}).Draw(t, "severity"),
			State:    rapid.SampledFrom([]string{"", "open", "fixed", "deferred"}).Draw(t, "state"), Line: numbers.Draw(t, "line"),
		}
	}), 0, 4).Draw(t, "findings")
}

func score(t *rapid.T) *float64 {
	return rapid.Ptr(rapid.SampledFrom([]float64{-1, 0, 0.4, 0.5, 2}), true).Draw(t, "score")
}

// makers make one event each, sane or not.
var makers = []func(t *rapid.T) any{
	func(t *rapid.T) any {
		return &runevents.AgentCompleted{Actor: actors.Draw(t, "actor"), AgentID: texts.Draw(t, "agent"), Outcome: outcomes.Draw(t, "outcome"), Cycle: numbers.Draw(t, "cycle"), Findings: findings(t), Session: sessions.Draw(t, "session")}
	},
	func(t *rapid.T) any { return &runevents.AgentCompleted{AgentID: "a", Outcome: "failure"} },
	func(t *rapid.T) any {
		return &runevents.TaskCompleted{Task: texts.Draw(t, "task"), Outcome: outcomes.Draw(t, "outcome"), Quality: score(t)}
	},
	func(t *rapid.T) any {
		return &runevents.CycleCompleted{Cycle: numbers.Draw(t, "cycle"), Findings: findings(t), ConvergenceScore: score(t)}
	},
	func(t *rapid.T) any {
		return &runevents.SpendReported{Spent: amounts.Draw(t, "spent"), Limit: amounts.Draw(t, "limit")}
	},
	func(t *rapid.T) any {
		return &runevents.RunStarted{Budget: rapid.Ptr(rapid.Just(runevents.Allowance{Limit: 100, Unit: "USD"}), true).Draw(t, "budget")}
	},
	func(t *rapid.T) any { return &runevents.RunCompleted{} },
	func(t *rapid.T) any { return &runevents.MergeCompleted{SHA: texts.Draw(t, "sha")} },
	func(t *rapid.T) any {
		return &runevents.TestCompleted{Passed: rapid.Bool().Draw(t, "passed"), AfterMerge: rapid.SampledFrom([]*bool{nil, new(true), new(false)}).Draw(t, "after")}
	},
	func(t *rapid.T) any {
		return &runevents.ReviewCompleted{Reviewer: texts.Draw(t, "reviewer"), Findings: findings(t), Verdict: "rejected"}
	},
	func(t *rapid.T) any {
		return &runevents.PhaseStarted{Phase: texts.Draw(t, "phase"), Attempt: numbers.Draw(t, "attempt")}
	},
	func(t *rapid.T) any { return &runevents.PhaseCompleted{} },
	func(t *rapid.T) any { return &runevents.AgentSpawned{AgentID: texts.Draw(t, "agent")} },
	func(t *rapid.T) any { return &runevents.WaveStarted{Wave: numbers.Draw(t, "wave")} },
	func(t *rapid.T) any {
		return &runevents.GitCommit{Actor: actors.Draw(t, "actor"), Message: rapid.SampledFrom([]string{"", "Revert", "Revert\nThis reverts commit "}).Draw(t, "message")}
	},
	func(t *rapid.T) any {
		return &runevents.RunResumed{Actor: actors.Draw(t, "actor"), By: texts.Draw(t, "by"), Why: texts.Draw(t, "why")}
	},
	func(t *rapid.T) any {
		return &runevents.RecoverySelected{Actor: actors.Draw(t, "actor"), Option: numbers.Draw(t, "option")}
	},
	func(t *rapid.T) any {
		return &runevents.OperatorAct{Act: rapid.SampledFrom([]runevents.Act{runevents.ActAck, runevents.ActResume, runevents.ActMute}).Draw(t, "act"), Run: rapid.SampledFrom([]string{"", "r"}).Draw(t, "run"), Session: sessions.Draw(t, "session"), Target: texts.Draw(t, "target"), By: texts.Draw(t, "by"), Why: texts.Draw(t, "why")}
	},
	func(t *rapid.T) any {
		return &sessionevents.TurnEvaluated{Session: sessions.Draw(t, "session"), Run: rapid.SampledFrom([]string{"", "r"}).Draw(t, "run"), Turn: numbers.Draw(t, "turn")}
	},
	func(t *rapid.T) any {
		return &sessionevents.SessionOpened{Session: sessions.Draw(t, "session"), Run: "r", Agent: &sessionevents.Agent{ID: texts.Draw(t, "agent")}}
	},
	func(t *rapid.T) any { return &sessionevents.SessionClosed{Session: sessions.Draw(t, "session")} },
	func(t *rapid.T) any {
		return &sessionevents.Signal{Run: rapid.SampledFrom([]string{"", "r", "r2"}).Draw(t, "run"), Layer: layers.Draw(t, "layer"), Subject: rapid.SampledFrom([]string{"a/b", "c/d"}).Draw(t, "subject"), Cycle: numbers.Draw(t, "cycle"), AgentID: texts.Draw(t, "agent")}
	},
	func(t *rapid.T) any {
		return &events.TimerExpired{Name: rapid.SampledFrom([]string{checkpointTimer, "run.reminder.", "", "run.reminder." + "x"}).Draw(t, "name"), Details: json.RawMessage(rapid.SampledFrom([]string{"", "{}", "null", `{"generation":1}`, "["}).Draw(t, "details"))}
	},
}

// request is what another layer may conclude of an event, drawn beforehand.
type request struct {
	broken *runevents.WiggumBreak
	raised *runevents.EscalationRaised
}

func (w request) conclude(v *run.Context) {
	if w.broken != nil {
		v.RequestBreak(*w.broken)
	}
	if w.raised != nil {
		v.Escalate(*w.raised)
	}
}

func drawRequest(t *rapid.T) request {
	var w request
	if rapid.IntRange(0, 9).Draw(t, "requests") == 0 {
		w.broken = &runevents.WiggumBreak{Kind: kinds.Draw(t, "kind"), Trigger: triggers.Draw(t, "trigger"), Scope: rapid.SampledFrom([]runevents.Scope{"", runevents.ScopeRun, runevents.ScopeSession}).Draw(t, "scope"), Session: sessions.Draw(t, "session")}
		w.raised = rapid.Ptr(rapid.Just(runevents.EscalationRaised{Layer: sessionevents.LayerWave, Options: []runevents.Option{{ID: "1"}}}), true).Draw(t, "raised")
	}
	return w
}

// dueTimers gives the timers back that were set, as the broker would.
type timers struct{ list []*events.TimerSet }

func (w *timers) take(out []events.Event) {
	for _, set := range of[events.TimerSet](out) {
		if set.Group == "" {
			w.list = text.Newest(append(w.list, set), 8)
		}
	}
}

func (w *timers) draw(t *rapid.T) any {
	if len(w.list) == 0 {
		return &events.TimerExpired{}
	}
	set := rapid.SampledFrom(w.list).Draw(t, "timer")
	return &events.TimerExpired{Name: set.Name, Details: set.Details, Run: set.Run, Due: set.Due}
}

// Whatever comes: nothing panics; a fold whose state goes through a snapshot at
// every step says the same; what is said agrees with itself; the state stays small.
func TestAnySequence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		live, stored := newPlayer(t), newPlayer(t)
		books := newBooks()
		var waiting timers
		for range rapid.IntRange(1, 60).Draw(rt, "length") {
			var data any
			if rapid.IntRange(0, 7).Draw(rt, "expires") == 0 {
				data = waiting.draw(rt)
			} else {
				data = rapid.SampledFrom(makers).Draw(rt, "maker")(rt)
			}
			w := drawRequest(rt)
			ev := live.event(data)
			live.request, stored.request = w.copied().conclude, w.copied().conclude
			live.question = rapid.SampledFrom([]*run.Question{live.question, live.question, nil, {ID: "q1", Why: "why"}, {ID: "q2", Why: "why"}}).Draw(rt, "question")
			stored.question = live.question
			out := live.fold(ev)
			require.Equal(rt, shown(rt, out), shown(rt, stored.fold(ev)), "%s", ev.Type)
			stored.restart()
			books.check(rt, ev, out)
			waiting.take(out)
		}
		data, err := json.Marshal(live.state)
		require.NoError(rt, err)
		require.Less(rt, len(data), 200_000)
	})
}

func (w request) copied() request {
	var c request
	if w.broken != nil {
		b := *w.broken
		c.broken = &b
	}
	if w.raised != nil {
		r := *w.raised
		c.raised = &r
	}
	return c
}

func shown(t require.TestingT, list []events.Event) string {
	var b strings.Builder
	for _, e := range list {
		data, err := json.Marshal(e.Data)
		require.NoError(t, err)
		fmt.Fprintln(&b, e.ID, e.Type, e.Subject, string(data))
	}
	return b.String()
}

// books check what was said against itself.
type books struct {
	open  map[string]*runevents.WiggumBreak // by subject
	state map[string]runevents.ControlState
	ended map[string]bool
	ahead map[string][]string
}

func newBooks() *books {
	return &books{open: map[string]*runevents.WiggumBreak{}, state: map[string]runevents.ControlState{}, ended: map[string]bool{}, ahead: map[string][]string{}}
}

func (b *books) check(t *rapid.T, ev events.Event, out []events.Event) {
	var ids []string
	closings := of[runevents.RunEvaluated](out)
	for i, e := range out {
		switch data := e.Data.(type) {
		case *runevents.WiggumBreak:
			b.broken(t, ev, e.Subject, data)
		case *runevents.ControlChanged:
			b.changed(t, e.Subject, data)
		case *runevents.RunEvaluated:
			require.Equal(t, len(out)-1, i, "it closes the event")
			continue
		case *events.TimerSet:
			continue
		}
		ids = append(ids, e.ID)
	}
	if _, is := ev.Data.(*sessionevents.Signal); is {
		require.Empty(t, closings)
		if len(ids) > 0 {
			b.ahead = map[string][]string{ev.CausationID: append(b.ahead[ev.CausationID], ids...)}
		}
		return
	}
	if slices.Contains(run.EveryRunEvent(), ev.Type) {
		require.Len(t, closings, 1, "one for each run event")
	}
	for _, closing := range closings {
		require.Equal(t, ev.ID, closing.Event)
		require.ElementsMatch(t, append(b.ahead[ev.ID], ids...), closing.Decisions)
		if said, known := b.state["r"]; known {
			require.Equal(t, said, closing.State, "control.changed and run.evaluated agree")
		}
		b.ahead = map[string][]string{}
	}
	if broken := b.open["r"]; broken != nil && broken.Kind == runevents.BreakHard {
		require.Equal(t, runevents.ControlHalted, b.state["r"])
	}
}

// changed: nothing is said twice, and only what runs ends.
func (b *books) changed(t *rapid.T, subject string, data *runevents.ControlChanged) {
	if data.Ended {
		require.Equal(t, runevents.ControlChanged{State: runevents.ControlRunning, Scope: data.Scope, Run: data.Run, Ended: true}, *data)
		require.Equal(t, runevents.ControlRunning, b.state[subject], "what is stopped does not end")
		require.False(t, b.ended[subject], "ended twice")
		b.ended[subject] = true
		return
	}
	require.True(t, b.state[subject] != data.State || b.ended[subject] || data.Break != "" || data.Who != "" || data.Question != "", "said twice")
	require.True(t, data.Question == "" || data.State == runevents.ControlPaused)
	b.state[subject], b.ended[subject] = data.State, false
	if data.Break == "" {
		delete(b.open, subject)
	}
}

// broken: between two resumes a scope has at most one soft break and one hard
// one that names it.
func (b *books) broken(t *rapid.T, ev events.Event, subject string, data *runevents.WiggumBreak) {
	before := b.open[subject]
	switch ev.Data.(type) {
	case *runevents.RunResumed, *runevents.RecoverySelected, *runevents.OperatorAct: // may resume what breaks again at once
		b.open[subject] = data
		return
	}
	if before != nil {
		require.NotEqual(t, runevents.BreakHard, before.Kind, "a halted run breaks no more")
		require.Equal(t, runevents.BreakHard, data.Kind)
		require.NotEmpty(t, data.Upgrades)
	} else {
		require.Empty(t, data.Upgrades)
	}
	b.open[subject] = data
}

// The counters are reset by their own reset only: a model that counts apart says
// when the first break of failures comes.
func TestFailuresAgainstModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := newPlayer(t)
		agents, tasks := 0, 0
		for range rapid.IntRange(1, 40).Draw(rt, "length") {
			outcome := rapid.SampledFrom([]string{"success", "failure", "timeout"}).Draw(rt, "outcome")
			var data any
			count := &agents
			switch rapid.IntRange(0, 2).Draw(rt, "kind") {
			case 0:
				data = &runevents.AgentCompleted{AgentID: "a", Outcome: outcome}
			case 1:
				data, count = &runevents.TaskCompleted{Task: "t", Outcome: outcome}, &tasks
			default:
				data, count = &runevents.PhaseStarted{Phase: "do"}, nil
			}
			if count != nil {
				*count++
				if outcome == "success" {
					*count = 0
				}
			}
			hard := false
			for _, broken := range of[runevents.WiggumBreak](p.feed(data)) {
				hard = hard || broken.Kind == runevents.BreakHard
			}
			require.Equal(rt, agents == 3 || tasks == 3, hard)
			if hard {
				return
			}
		}
	})
}

// The same events give the same bytes, whenever they are folded (EV-2).
func TestReplaysAreEqual(t *testing.T) {
	play := func() string {
		p := newPlayer(t)
		var b strings.Builder
		for i := range 30 {
			p.at = start.Add(time.Duration(i) * time.Minute)
			b.WriteString(shown(t, p.feed(&sessionevents.SessionOpened{Session: fmt.Sprint("s", i%7), Run: "r"})))
			b.WriteString(shown(t, p.feed(agent(map[bool]string{true: "failure", false: "success"}[i > 20]))))
		}
		return b.String()
	}
	first := play()
	for range 5 {
		require.Equal(t, first, play())
	}
}

func TestSessionsAreBounded(t *testing.T) {
	p := newPlayer(t)
	p.config.Kept.Sessions = 4
	for i := range 20 {
		p.feed(&sessionevents.TurnEvaluated{Session: fmt.Sprint("s", i), Run: "r", Turn: 1})
	}
	require.Len(t, p.state.Sessions, 4)
	require.Contains(t, p.state.Sessions, "s19")
}
