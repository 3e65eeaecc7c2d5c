package ingest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Who sends an event with the source and id of somebody else's does not use it up,
// and a repeat changes nothing all the same (SW-1a, EV-10).
func TestAStrangerUsesUpNoId(t *testing.T) {
	commit := &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}, SHA: "5ha"}
	said := func(role events.Role, account string) step.Input {
		return step.Input{Account: account, Arrived: start, Event: events.Event{
			ID: "id", Source: "/git", Type: runevents.TypeGitCommit, Subject: "run", PartitionKey: "run", Time: start, Data: commit, Credential: role,
		}}
	}
	about := func(typ events.Type, data any) step.Input {
		return step.Input{Arrived: start, Event: events.Event{ID: "id", Source: "/git", Type: typ, Subject: "s", PartitionKey: "run", Time: start, Data: data}}
	}
	inputs := []struct {
		in     step.Input
		source string
	}{
		{said(events.RolePublisher, ""), "/git"},
		{said(events.RoleInfra, ""), "/git#infra"},
		{said(events.RoleOperator, ""), "/git#operator"},
		{said(events.RolePublisher, "SHOP"), "/git#publisher.SHOP"},
		{said(events.RolePublisher, "MILL"), "/git#publisher.MILL"},
		{about(sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{Session: "s", Run: "run"}), "/git#session.opened"},
		{about(events.TypeTimerExpired, &events.TimerExpired{Name: "other", Due: start}), "/git#timer.expired"},
	}
	m := New(Options{Redactor: masks{}, Cutter: plain{}, IdleTimeout: time.Hour})
	state := m.New("run")
	step1 := func(in step.Input) (passed []events.Event) {
		out := step.NewEmitter("ingest", step.Identity{}, in.Event)
		in.Valid = true
		next, err := m.Step(state, in, out)
		require.NoError(t, err)
		state = next
		return out.Events()
	}
	for range 3 {
		for _, c := range inputs {
			passed := step1(c.in)
			if c.source == "" {
				require.Empty(t, passed, "%+v", c.in.Event)
				continue
			}
			require.Len(t, passed, 1, "%+v", c.in.Event)
			require.Equal(t, "id", passed[0].ID)
			require.Equal(t, c.source, passed[0].Source)
		}
		for i := range inputs { // each repeated, also after a restart
			inputs[i].source = ""
		}
		data, err := m.Encode(state)
		require.NoError(t, err)
		state, err = m.Decode(data)
		require.NoError(t, err)
	}
}

// What an earlier version saved is still recognised, whoever sent it.
func TestEarlierIdsAreKnown(t *testing.T) {
	in := step.Input{Arrived: start, Valid: true, Event: events.Event{
		ID: "id", Source: "/git", Type: runevents.TypeGitCommit, Subject: "run", PartitionKey: "run", Time: start,
		Data: &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}, SHA: "5ha"}, Credential: events.RoleInfra,
	}}
	var before fingerprints
	before.add(namedHash(in.Event))
	saved, err := json.Marshal(map[string]any{"sessions": map[string]any{}, "events": before})
	require.NoError(t, err)
	m := New(Options{Redactor: masks{}, Cutter: plain{}, IdleTimeout: time.Hour})
	state, err := m.Decode(saved)
	require.NoError(t, err)
	require.Equal(t, eventMemory, state.remembered)
	out := step.NewEmitter("ingest", step.Identity{}, in.Event)
	_, err = m.Step(state, in, out)
	require.NoError(t, err)
	require.Empty(t, out.Events())
}
