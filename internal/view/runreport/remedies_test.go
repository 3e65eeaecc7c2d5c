package runreport

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

// anyWork is an event of any type, with what the fold reads filled so that it
// hangs together now and then.
func anyWork(t *rapid.T, n int) events.Event {
	id := rapid.SampledFrom([]string{"", "r", "s", "1", "2", "3"})
	d := rapid.SampledFrom(events.All()).Draw(t, "type")
	e := events.Event{
		ID: fmt.Sprint(n), Type: d.Type, Subject: id.Draw(t, "subject"), PartitionKey: "r", CausationID: id.Draw(t, "cause"),
		Time: time.Date(2026, 1, 5, 9, n, 0, 0, time.UTC), Data: d.New(), Credential: rapid.SampledFrom([]events.Role{"", events.RoleOperator, events.RoleInfra}).Draw(t, "role"),
	}
	switch data := e.Data.(type) {
	case *sessionevents.Signal:
		data.Layer, data.Subject, data.Session = rapid.SampledFrom([]sessionevents.Layer{"", sessionevents.LayerArchetype, sessionevents.LayerSystem}).Draw(t, "layer"), id.Draw(t, "issue"), id.Draw(t, "session")
	case *runevents.CorrectionIssued:
		data.Layer, data.Issue, data.Action = sessionevents.LayerArchetype, id.Draw(t, "issue"), "correct"
	case *runevents.EscalationRaised:
		data.Layer, data.Issue = sessionevents.LayerArchetype, id.Draw(t, "issue")
	}
	return e
}

// helped is all that the state says.
func helped(s *Remedies) (out []string) {
	for i := range s.Corrections {
		out = append(out, s.Helped(&s.Corrections[i]))
	}
	return out
}

// Whatever comes: no panic, bounded lists, and a state that went through JSON
// before every event says the same.
func TestRemediesSurviveJSON(t *testing.T) {
	const most = 5
	rapid.Check(t, func(t *rapid.T) {
		var live, stored Remedies
		for n := range rapid.IntRange(1, 60).Draw(t, "events") {
			e := anyWork(t, n)
			live.Apply(most, e)
			text, err := json.Marshal(stored)
			require.NoError(t, err)
			stored = Remedies{}
			require.NoError(t, json.Unmarshal(text, &stored))
			stored.Apply(most, e)
			require.Equal(t, helped(&live), helped(&stored))
		}
		want, err := json.Marshal(live)
		require.NoError(t, err)
		got, err := json.Marshal(stored)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		require.LessOrEqual(t, len(live.Corrections), most)
		require.LessOrEqual(t, len(live.Sightings), most)
	})
}

// RW-42: the life of a correction that holds; docs/report.md has the table, the
// scripts each of its rows.
func TestACorrectionThatHolds(t *testing.T) {
	var s Remedies
	n := 0
	apply := func(typ events.Type, cause string, data any) {
		n++
		s.Apply(5, events.Event{ID: fmt.Sprint("e", n), Type: typ, Subject: "r", PartitionKey: "r", CausationID: cause, Credential: events.RoleOperator, Data: data})
	}
	apply(runevents.TypeRunStarted, "", &runevents.RunStarted{})
	apply(runevents.TypeAgentCompleted, "", &runevents.AgentCompleted{Archetype: "Maker", AgentID: "m"})
	apply(sessionevents.TypeSignalDetected, "e2", &sessionevents.Signal{Layer: sessionevents.LayerArchetype, Subject: "maker/rogue", AgentID: "m"})
	apply(runevents.TypeCorrectionIssued, "e3", &runevents.CorrectionIssued{Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct"})
	require.Equal(t, Running, s.Helped(&s.Corrections[0]))
	apply(runevents.TypeAgentCompleted, "", &runevents.AgentCompleted{Archetype: "maker", AgentID: "m2"})
	apply(runevents.TypeRunCompleted, "", &runevents.RunCompleted{Outcome: "failure"})
	require.Equal(t, Held, s.Helped(&s.Corrections[0]))
	apply(runevents.TypeRunStarted, "", &runevents.RunStarted{})
	require.Equal(t, Running, s.Helped(&s.Corrections[0]), "a run that goes on takes its end back")
}
