package policy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

var start = time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)

// player feeds the fold of one run.
type player struct {
	t      testing.TB
	config *Config
	state  *State
	n      int
	at     time.Time
	// request, when set, is what another layer concludes of each event.
	request func(v *run.Context)
	// question is what the run waits for, as the intent layer knows it.
	question *run.Question
}

var loaded = sync.OnceValues(func() (*Config, error) { return LoadConfig(rules.Default()) })

func defaultConfig(t testing.TB) *Config {
	c, err := loaded()
	require.NoError(t, err)
	own := *c
	return &own
}

func newPlayer(t testing.TB) *player {
	return &player{t: t, config: defaultConfig(t), state: &State{}, at: start}
}

// event makes the next event of run "r".
func (p *player) event(data any) events.Event {
	p.n++
	p.at = p.at.Add(time.Second)
	ev := events.Event{ID: fmt.Sprint("e", p.n), Source: "/test", Subject: "r", PartitionKey: "r", Time: p.at, Data: data, Type: typeOf(data)}
	switch d := data.(type) {
	case *sessionevents.TurnEvaluated:
		ev.Subject = d.Session
	case *sessionevents.SessionOpened:
		ev.Subject = d.Session
	case *sessionevents.SessionClosed:
		ev.Subject = d.Session
	case *sessionevents.Signal:
		ev.CausationID = fmt.Sprint("e", p.n+1)
	}
	ev.Credential = events.ClaimedRole(ev)
	return ev
}

func typeOf(data any) events.Type { return types()[reflect.TypeOf(data)] }

var types = sync.OnceValue(func() map[reflect.Type]events.Type {
	out := map[reflect.Type]events.Type{}
	for _, d := range events.All() {
		out[reflect.TypeOf(d.New())] = d.Type
	}
	return out
})

// feed folds events and returns what the last one leads to.
func (p *player) feed(list ...any) []events.Event {
	var out []events.Event
	for _, data := range list {
		out = p.fold(p.event(data))
	}
	return out
}

func (p *player) fold(ev events.Event) []events.Event {
	v := run.NewContext(step.Input{Event: ev})
	out := step.NewEmitter("dispatcher", step.Identity{}, ev)
	p.config.Decide(p.state, v)
	if p.request != nil {
		p.request(v)
	}
	v.Question = p.question
	p.config.Settle(p.state, v, out)
	return out.Events()
}

// restart takes the state through its snapshot.
func (p *player) restart() {
	data, err := json.Marshal(p.state)
	require.NoError(p.t, err)
	p.state = &State{}
	require.NoError(p.t, json.Unmarshal(data, p.state))
}

// of are the data of one type among events.
func of[T any](list []events.Event) []*T {
	var out []*T
	for _, e := range list {
		if data, is := e.Data.(*T); is {
			out = append(out, data)
		}
	}
	return out
}

func agent(outcome string) *runevents.AgentCompleted {
	return &runevents.AgentCompleted{AgentID: "maker", Outcome: outcome}
}

func TestFailuresBreakTheRun(t *testing.T) { // RW-30, RW-33
	p := newPlayer(t)
	p.feed(&runevents.RunStarted{}, &sessionevents.SessionOpened{Session: "s", Run: "r"}, agent("failure"), agent("timeout"))
	out := p.feed(agent("failure"))
	broken := of[runevents.WiggumBreak](out)
	require.Len(t, broken, 1)
	require.Equal(t, runevents.BreakHard, broken[0].Kind)
	require.Equal(t, runevents.TriggerAgentFailures, broken[0].Trigger)
	require.Equal(t, runevents.WIPCommit, broken[0].WIPAction)
	require.Equal(t, []string{"e3", "e4", "e5"}, broken[0].Evidence)
	require.Equal(t, []string{"e1", "e3", "e4", "e5"}, broken[0].RunState.LastEvents)
	changes := of[runevents.ControlChanged](out)
	require.Len(t, changes, 2)
	require.Equal(t, runevents.ControlHalted, changes[0].State)
	require.Equal(t, "r", changes[1].Run)
	closing := of[runevents.RunEvaluated](out)
	require.Len(t, closing, 1)
	require.Equal(t, runevents.ControlHalted, closing[0].State)
	require.Equal(t, events.Type(runevents.TypeRunEvaluated), out[len(out)-1].Type)

	out = p.feed(agent("failure"))
	require.Empty(t, of[runevents.WiggumBreak](out))
	require.Len(t, of[runevents.BreakNoted](out), 1)
}

func TestSuccessBeginsAgain(t *testing.T) { // RW-30: 2 failures, success, 2 failures
	p := newPlayer(t)
	for _, outcome := range []string{"failure", "failure", "success", "failure", "failure"} {
		require.Empty(t, of[runevents.WiggumBreak](p.feed(agent(outcome))))
	}
}
