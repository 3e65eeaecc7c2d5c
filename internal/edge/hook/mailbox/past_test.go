package mailbox_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const (
	pastSessions = 40
	pastTurns    = 50
)

// dispatcher commits decisions as the dispatcher does.
type dispatcher struct {
	t    *testing.T
	logs []engine.Log
	at   []engine.Position
	made int
}

func newDispatcher(t *testing.T, b *nats.Broker) *dispatcher {
	sink, err := commit.Sink(b, "dispatcher")
	require.NoError(t, err)
	d := &dispatcher{
		t: t, logs: make([]engine.Log, b.Topology().Partitions),
		at: make([]engine.Position, b.Topology().Partitions),
	}
	for p := range d.logs {
		d.logs[p], err = sink.Open(t.Context(), p)
		require.NoError(t, err)
	}
	return d
}

func (d *dispatcher) decide(group string, list ...events.Event) {
	p := subjects.Partition(group, len(d.logs))
	var batch engine.Batch
	for _, e := range list {
		d.made++
		d.at[p].Sequence++
		e.ID, e.Source, e.PartitionKey, e.Time = fmt.Sprint("e", d.made), step.Source("dispatcher"), group, time.Unix(
			int64(d.made),
			0,
		)
		m, err := d.logs[p].Encode(group, e)
		require.NoError(d.t, err)
		batch.Messages = append(batch.Messages, m)
	}
	batch.Position = d.at[p]
	require.NoError(d.t, d.logs[p].Commit(context.Background(), batch))
}

// A start reads nothing of what was decided before; the first hook of a session reads what is about it, by
// its subjects, and what waits for it is said.
func TestAStartDoesNotReadThePast(t *testing.T) {
	broker := natstest.Run(t)
	open := func(name string) (*nats.Broker, func() uint64) {
		nc := broker.Connect(name)
		b, err := nats.Open(nc, topology.Topology{}, nats.Keys{}, nil)
		require.NoError(t, err)
		return b, func() uint64 { return nc.Stats().InMsgs }
	}
	writing, _ := open("dispatcher")
	_, err := topology.ProvisionOwn(t.Context(), writing.JetStream(), writing.Topology())
	require.NoError(t, err)
	d := newDispatcher(t, writing)
	for turn := range pastTurns {
		for n := range pastSessions {
			s := fmt.Sprint("s", n)
			list := []events.Event{{
				Type: sessionevents.TypeTurnEvaluated, Subject: s,
				Data: &sessionevents.TurnEvaluated{Session: s, Run: "r", Turn: turn + 1},
			}}
			if turn == pastTurns-1 {
				list = append(list, events.Event{
					Type: sessionevents.TypeInterruptFired, Subject: s,
					Data: &sessionevents.InterruptFired{Session: s, Run: "r", ID: "of-" + s, Turn: turn + 1},
				})
			}
			d.decide("r", list...)
		}
	}
	d.decide("r", events.Event{
		Type: runevents.TypeControlChanged, Subject: "r",
		Data: &runevents.ControlChanged{Scope: runevents.ScopeRun, State: runevents.ControlHalted, Why: "budget"},
	})
	d.decide("r", events.Event{
		Type: sessionevents.TypeInterruptDelivery, Subject: "s1",
		Data: &sessionevents.InterruptDelivery{
			Session: "s1", Interrupt: "of-s1",
			State: sessionevents.DeliveryEmitted,
		},
	})

	reading, messages := open("hooks")
	box, healthy := mailbox.New(), make(chan struct{}, 8)
	go box.Run(t.Context(), reading, func(err error) {
		if err == nil {
			healthy <- struct{}{}
		}
	})
	select {
	case <-healthy:
	case <-time.After(5 * time.Minute):
		require.Fail(t, "it does not follow the decisions")
	}
	atStart := messages()
	require.Less(t, atStart, uint64(pastTurns*pastSessions/10), "a start reads the past")
	require.Nil(t, box.Next("s0"))

	box.Open(t.Context(), "s0", "s0", "")
	box.Open(t.Context(), "s1", "s1", "")
	t.Logf(
		"%d messages for the start, %d for two sessions and their run, of %d decisions",
		atStart,
		messages()-atStart,
		d.made,
	)
	require.Less(t, messages()-atStart, uint64(pastTurns*pastSessions/10), "a session reads what is about others")
	require.Equal(t, "of-s0", box.Next("s0").ID)
	require.Nil(t, box.Next("s1"), "it was emitted")
	require.Equal(t, "budget", box.State("s0", "s0", "").Why, "the run is known from its turns")
	require.False(t, box.Begins(t.Context(), "s0"))
	require.True(t, box.Begins(t.Context(), "new"))

	d.decide("r", events.Event{
		Type: sessionevents.TypeInterruptFired, Subject: "s1",
		Data: &sessionevents.InterruptFired{Session: "s1", Run: "r", ID: "later", Turn: pastTurns},
	})
	require.Eventually(t, func() bool { return box.Next("s1") != nil }, 5*time.Minute, 5*time.Millisecond)
	require.Equal(t, "later", box.Next("s1").ID)
}
