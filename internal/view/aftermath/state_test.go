package aftermath

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var settings = &Settings{
	Success: []string{"success"}, Boundaries: []runevents.BreakTrigger{runevents.TriggerBudget95}, RedoOptions: []int{1, 2}, Entries: 5, Text: 20,
}

// anyDecision is one of any type, with what the fold reads filled so that it
// hangs together now and then.
func anyDecision(t *rapid.T, n int) events.Event {
	id := rapid.SampledFrom([]string{"", "r", "s", "1", "2", "3"})
	d := rapid.SampledFrom(events.All()).Draw(t, "type")
	e := events.Event{
		ID: fmt.Sprint(n), Type: d.Type, Subject: id.Draw(t, "subject"), PartitionKey: "r", CausationID: id.Draw(t, "cause"),
		Time: time.Date(2026, 1, 5, 9, n, 0, 0, time.UTC), Data: d.New(), Credential: rapid.SampledFrom([]events.Role{"", events.RoleOperator, events.RoleInfra}).Draw(t, "role"),
	}
	switch data := e.Data.(type) {
	case *runevents.WiggumBreak:
		data.Trigger = rapid.SampledFrom([]runevents.BreakTrigger{runevents.TriggerBrokenSuite, runevents.TriggerBudget95}).Draw(t, "trigger")
		data.Kind, data.Scope, data.Upgrades = runevents.BreakSoft, rapid.SampledFrom([]string{"run", "session"}).Draw(t, "scope"), id.Draw(t, "upgrades")
	case *runevents.BreakNoted:
		data.Break, data.Trigger, data.Reason = id.Draw(t, "break"), runevents.TriggerBudget95, "a reason that is longer than twenty characters"
	case *runevents.HaltIgnored:
		data.Break = id.Draw(t, "break")
	case *runevents.ControlChanged:
		data.State = runevents.ControlRunning
	case *sessionevents.Signal:
		data.Layer, data.Subject, data.Session = rapid.SampledFrom([]sessionevents.Layer{"", sessionevents.LayerArchetype, sessionevents.LayerSystem}).Draw(t, "layer"), id.Draw(t, "issue"), id.Draw(t, "session")
	case *runevents.CorrectionIssued:
		data.Layer, data.Issue, data.Action = sessionevents.LayerArchetype, id.Draw(t, "issue"), "correct"
	case *runevents.EscalationRaised:
		data.Layer, data.Issue = sessionevents.LayerArchetype, id.Draw(t, "issue")
	case *runevents.RunCompleted:
		data.Outcome = rapid.SampledFrom([]string{"success", "failure"}).Draw(t, "outcome")
	case *runevents.RecoverySelected:
		data.Option = rapid.IntRange(0, 4).Draw(t, "option")
	case *runevents.GitCommit:
		data.Purpose = rapid.SampledFrom([]string{"", "revert"}).Draw(t, "purpose")
	}
	return e
}

// verdicts are everything that the state tells.
func verdicts(s *State) (out []string) {
	for i := range s.Breaks {
		out = append(out, fmt.Sprintf("%+v", s.Warrant(settings, &s.Breaks[i])))
	}
	for i := range s.Corrections {
		out = append(out, s.Helped(&s.Corrections[i]))
	}
	return out
}

// Whatever comes: no panic, bounded lists, and a state that went through JSON
// before every event tells the same.
func TestStateGoesThroughJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var live, stored State
		for n := range rapid.IntRange(1, 60).Draw(t, "events") {
			e := anyDecision(t, n)
			live.Apply(settings, e)
			text, err := json.Marshal(stored)
			require.NoError(t, err)
			stored = State{}
			require.NoError(t, json.Unmarshal(text, &stored))
			stored.Apply(settings, e)
			require.Equal(t, verdicts(&live), verdicts(&stored))
		}
		want, err := json.Marshal(live)
		require.NoError(t, err)
		got, err := json.Marshal(stored)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		for _, n := range []int{len(live.Breaks), len(live.Corrections), len(live.Sightings)} {
			require.LessOrEqual(t, n, settings.Entries)
		}
		for _, b := range live.Breaks {
			require.LessOrEqual(t, len(b.Noted), settings.Entries)
			require.LessOrEqual(t, len(b.Ignored), settings.Entries)
		}
	})
}

// RW-32, RW-42: the whole way of a break and a correction; docs/report.md has the
// tables, the scripts of runreport each of their rows.
func TestABreakThatRecursAndACorrectionThatHolds(t *testing.T) {
	var s State
	n := 0
	apply := func(typ events.Type, cause string, data any) {
		n++
		s.Apply(settings, events.Event{ID: fmt.Sprint("e", n), Type: typ, Subject: "r", PartitionKey: "r", CausationID: cause, Credential: events.RoleOperator, Data: data})
	}
	apply(runevents.TypeRunStarted, "", &runevents.RunStarted{})
	apply(runevents.TypeAgentCompleted, "", &runevents.AgentCompleted{Archetype: "Maker", AgentID: "m"})
	apply(sessionevents.TypeSignalDetected, "e2", &sessionevents.Signal{Layer: sessionevents.LayerArchetype, Subject: "maker/rogue", AgentID: "m"})
	apply(runevents.TypeCorrectionIssued, "e3", &runevents.CorrectionIssued{Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct"})
	apply(runevents.TypeWiggumBreak, "e2", &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Scope: runevents.ScopeRun})
	require.Equal(t, TooEarly, s.Warrant(settings, &s.Breaks[0]).Verdict)
	require.Equal(t, Running, s.Helped(&s.Corrections[0]))
	apply(runevents.TypeControlChanged, "", &runevents.ControlChanged{State: runevents.ControlRunning, Scope: runevents.ScopeRun, Who: "ann"})
	require.Equal(t, "ann", s.Breaks[0].Resumed.By)
	apply(runevents.TypeWiggumBreak, "", &runevents.WiggumBreak{Kind: runevents.BreakHard, Trigger: runevents.TriggerAgentFailures, Scope: runevents.ScopeRun})
	require.Equal(t, "same_trigger_again", s.Warrant(settings, &s.Breaks[0]).Basis)
	apply(runevents.TypeAgentCompleted, "", &runevents.AgentCompleted{Archetype: "maker", AgentID: "m2"})
	apply(runevents.TypeRunCompleted, "", &runevents.RunCompleted{Outcome: "failure"})
	require.Equal(t, "not_taken_up", s.Warrant(settings, &s.Breaks[1]).Basis)
	require.Equal(t, Held, s.Helped(&s.Corrections[0]))
	apply(runevents.TypeRunStarted, "", &runevents.RunStarted{})
	require.Equal(t, Running, s.Helped(&s.Corrections[0]), "a run that goes on takes its end back")
}

// EV-10: a fact without its credential changes nothing.
func TestClaimsAreNoFacts(t *testing.T) {
	s := State{Breaks: []Break{{ID: "b", Trigger: runevents.TriggerBrokenSuite, Scope: runevents.ScopeRun}}}
	for _, e := range []events.Event{
		{Type: runevents.TypeGitCommit, Credential: events.RolePublisher, Data: &runevents.GitCommit{Purpose: "revert"}},
		{Type: runevents.TypeRecoverySelected, Credential: events.RolePublisher, Data: &runevents.RecoverySelected{Option: 1}},
	} {
		s.Apply(settings, e)
		require.Equal(t, TooEarly, s.Warrant(settings, &s.Breaks[0]).Verdict)
	}
}
