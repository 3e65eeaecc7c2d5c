package runlist

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

var start = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// about returns an event about a run, at a minute.
func about(minute int, run, subject, id string, typ events.Type, data any) events.Event {
	return events.Event{
		ID: id, Type: typ, Subject: subject, PartitionKey: run, Time: start.Add(time.Duration(minute) * time.Minute),
		Data: data, Credential: events.RoleOperator,
	}
}

func fold(list ...events.Event) []Run {
	f := New()
	for _, e := range list {
		f.Add(e)
	}
	return f.Runs()
}

func halted(run string) []events.Event {
	return []events.Event{
		about(0, run, run, "1", runevents.TypeRunStarted, &runevents.RunStarted{Kind: "build", Goal: "green tests"}),
		about(1, run, run, "2", runevents.TypeAgentCompleted, &runevents.AgentCompleted{AgentID: "m", Outcome: "failure"}),
		about(
			1, run, run, "b-1", runevents.TypeWiggumBreak,
			&runevents.WiggumBreak{
				Trigger: runevents.TriggerAgentFailures, Kind: runevents.BreakHard, Scope: runevents.ScopeRun,
			},
		),
		about(
			1, run, run, "e-1", runevents.TypeEscalationRaised,
			&runevents.EscalationRaised{Issue: "break/agent_failures", To: "user"},
		),
		about(
			1, run, run, "e-2", runevents.TypeEscalationRaised, &runevents.EscalationRaised{Issue: "maker/rogue", To: "user"},
		),
		about(
			1, run, run, "c-1", runevents.TypeControlChanged,
			&runevents.ControlChanged{State: runevents.ControlHalted, Scope: runevents.ScopeRun, Break: "b-1"},
		),
		about(
			1, run, run, "v-1", runevents.TypeRunEvaluated,
			&runevents.RunEvaluated{Event: "2", State: runevents.ControlHalted, Break: "b-1"},
		),
	}
}

func TestABrokenRunIsListedUntilItIsResumed(t *testing.T) {
	list := fold(halted("nightly")...)
	require.Len(t, list, 1)
	one := list[0]
	require.Equal(t, runevents.ControlHalted, one.State)
	require.Equal(t, runevents.TriggerAgentFailures, one.Break.Trigger)
	require.Len(t, one.Escalations, 2)
	require.Equal(t, "green tests", one.Goal)
	require.Equal(t, events.Type(runevents.TypeAgentCompleted), one.LastType)

	one = fold(append(halted("nightly"),
		about(2, "nightly", "nightly", "r", runevents.TypeRunResumed, &runevents.RunResumed{By: "ann", Why: "fixed"}),
		about(
			2, "nightly", "nightly", "c-2", runevents.TypeControlChanged,
			&runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeRun},
		),
	)...)[0]
	require.Equal(t, runevents.ControlRunning, one.State)
	require.Nil(t, one.Break)
	require.Len(t, one.Escalations, 1, "the resume answers the break, not the shadow")
	require.Equal(t, "maker/rogue", one.Escalations[0].Issue)
}

// RW-41: by its own id, by its reminder's, by the break's, or all at once.
func TestEscalationsAreOpenUntilAcknowledged(t *testing.T) {
	ack := func(target string) events.Event {
		return about(
			3, "nightly", "nightly", "a", runevents.TypeOperatorAct,
			&runevents.OperatorAct{Act: "ack", Run: "nightly", Target: target, By: "ann"},
		)
	}
	reminder := about(
		2, "nightly", "nightly", "e-3", runevents.TypeEscalationRaised,
		&runevents.EscalationRaised{Issue: "maker/rogue", Reminder: true, Of: "e-2"},
	)
	for target, left := range map[string][]string{
		"e-1": {"e-2"}, "e-2": {"e-1"}, "e-3": {"e-1"}, "b-1": {"e-2"}, "": {}, "nightly": {}, "other": {"e-1", "e-2"},
	} {
		one := fold(append(halted("nightly"), reminder, ack(target))...)[0]
		ids := []string{}
		for _, e := range one.Escalations {
			ids = append(ids, e.ID)
		}
		require.Equal(t, left, ids, target)
	}
}

func TestQuestionsAndGates(t *testing.T) {
	asked := func(id string) events.Event {
		return about(
			1, "r", "r", "q-"+id, runevents.TypeClarificationRequested,
			&runevents.ClarificationRequested{RequestID: id, Options: []runevents.Option{{ID: "A"}}},
		)
	}
	gate := func(wave int, decision runevents.GateDecision) events.Event {
		return about(
			1, "r", "r", string(decision), runevents.TypeGateDecided,
			&runevents.GateDecided{Gate: "merge", Wave: wave, Decision: decision},
		)
	}
	claim := about(
		2, "r", "r", "x", runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{RequestID: "two"},
	)
	claim.Credential = events.RolePublisher
	one := fold(asked("one"), asked("two"), asked("three"), claim,
		about(2, "r", "r", "y", runevents.TypeClarificationAnswered, &runevents.ClarificationAnswered{RequestID: "one"}),
		about(2, "r", "r", "z", runevents.TypeClarificationDefaulted, &runevents.ClarificationDefaulted{RequestID: "three"}),
		gate(1, "deny"), gate(2, "hold"), gate(1, "allow"))[0]
	require.Len(t, one.Questions, 1)
	require.Equal(t, "two", one.Questions[0].RequestID, "who is no operator answers nothing")
	require.Len(t, one.Refused, 1)
	require.Equal(t, 2, one.Refused[0].Wave)

	ahead := about(
		2, "r", "r", "ahead", runevents.TypeGateDecided,
		&runevents.GateDecided{Gate: "merge", Wave: 4, Decision: "deny", Ahead: true},
	)
	chosen := about(3, "r", "r", "chosen", runevents.TypeRecoverySelected, &runevents.RecoverySelected{Wave: 2, Option: 1})
	require.Empty(
		t, fold(gate(2, "hold"), ahead, chosen)[0].Refused, "a question ahead holds nothing up, a recovery answers",
	)
	chosen.Credential = events.RolePublisher
	require.Len(t, fold(gate(2, "hold"), chosen)[0].Refused, 1, "only a person's does (WP-2)")
}

// A session without a run is listed once something breaks it, not before.
func TestSessionsWithoutARun(t *testing.T) {
	running := about(
		0, "s-1", "s-1", "c", runevents.TypeControlChanged,
		&runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeSession},
	)
	require.Empty(t, fold(running))
	list := fold(running,
		about(
			1, "s-1", "s-1", "b", runevents.TypeWiggumBreak,
			&runevents.WiggumBreak{Trigger: runevents.TriggerStuckLoop, Scope: runevents.ScopeSession},
		),
		about(
			1, "s-1", "s-1", "d", runevents.TypeControlChanged,
			&runevents.ControlChanged{State: runevents.ControlDraining, Scope: runevents.ScopeSession, Break: "b"},
		))
	require.Len(t, list, 1)
	require.Equal(t, runevents.TriggerStuckLoop, list[0].Break.Trigger)
	// A session of a run changes nothing of the run.
	one := fold(append(
		halted("r"),
		about(
			2, "r", "s", "x", runevents.TypeControlChanged,
			&runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeSession},
		),
	)...)[0]
	require.Equal(t, runevents.ControlHalted, one.State)
}

func TestTheLatestComesFirst(t *testing.T) {
	list := fold(
		about(1, "old", "old", "1", runevents.TypeRunStarted, &runevents.RunStarted{}),
		about(5, "new", "new", "2", runevents.TypeRunStarted, &runevents.RunStarted{}),
		about(5, "also", "also", "3", runevents.TypeRunStarted, &runevents.RunStarted{}),
	)
	require.Equal(t, []string{"also", "new", "old"}, []string{list[0].ID, list[1].ID, list[2].ID})
}

// Whatever comes, in whatever order: no panic, and lists stay bounded.
func TestHostileEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := New()
		id := rapid.SampledFrom([]string{"", "a", "b", "c"})
		for range rapid.IntRange(1, 400).Draw(t, "events") {
			d := rapid.SampledFrom(events.All()).Draw(t, "type")
			e := events.Event{
				ID: id.Draw(t, "id"), Type: d.Type, Subject: id.Draw(t, "subject"), PartitionKey: id.Draw(t, "group"),
				Data: d.New(),
			}
			switch data := e.Data.(type) {
			case *runevents.RunEvaluated:
				data.Break = id.Draw(t, "break")
			case *runevents.EscalationRaised:
				data.Reminder, data.Of = rapid.Bool().Draw(t, "reminder"), id.Draw(t, "of")
			case *runevents.OperatorAct:
				data.Act, data.Target = "ack", id.Draw(t, "target")
			}
			if rapid.Bool().Draw(t, "empty") {
				e.Data = nil
			}
			f.Add(e)
		}
		for _, r := range f.Runs() {
			if len(r.Escalations) > kept || len(r.Questions) > kept || len(r.Refused) > kept {
				t.Fatal("a list has no bound")
			}
			if _, err := json.Marshal(r); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A session whose subagents belong to it is no run: it is not listed until something of a run happens.
func TestASessionWithSubagentsIsNoRun(t *testing.T) {
	control := func(scope runevents.Scope, state runevents.ControlState) events.Event {
		return events.Event{
			Subject: "s1", PartitionKey: "s1", Type: runevents.TypeControlChanged,
			Data: &runevents.ControlChanged{Scope: scope, State: state},
		}
	}
	f := New()
	f.Add(control(runevents.ScopeSession, runevents.ControlRunning))
	f.Add(control(runevents.ScopeRun, runevents.ControlRunning))
	require.Empty(t, f.Runs())
	f.Add(control(runevents.ScopeRun, runevents.ControlHalted))
	require.Len(t, f.Runs(), 1)

	whole := New()
	whole.Add(control(runevents.ScopeRun, runevents.ControlRunning))
	require.Len(t, whole.Runs(), 1, "a run of sessions that are not its own id")
}
