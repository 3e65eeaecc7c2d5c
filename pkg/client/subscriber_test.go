package client_test

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

func newSubscriber(t *testing.T, conn *nats.Conn, onSkip func(client.Skipped)) *client.Subscriber {
	t.Helper()
	s, err := client.NewSubscriber(conn, client.SubscriberOptions{OnSkip: onSkip})
	require.NoError(t, err)
	return s
}

// decide writes an event into DECISIONS as the dispatcher would.
func (b *bench) decide(t *testing.T, e events.Event) {
	t.Helper()
	require.NoError(t, decide(t.Context(), b.js, e))
}

func decide(ctx context.Context, js jetstream.JetStream, e events.Event) error {
	subject, err := subjects.StoredSubject(events.StreamDecisions, e, 16)
	if err != nil {
		return err
	}
	e.Source = "/scaffoldwatch/dispatcher"
	header, data, err := events.EncodeBinary(e)
	if err != nil {
		return err
	}
	return commit(ctx, js, nil, &nats.Msg{Subject: subject, Header: header, Data: data})
}

func fired(run, session, id string) events.Event {
	return events.Event{ID: id, Type: sessionevents.TypeInterruptFired, Subject: session, PartitionKey: run, Data: &sessionevents.InterruptFired{Session: session, Run: run, ID: id}}
}

func broke(run, subject, id string) events.Event {
	return events.Event{ID: id, Type: runevents.TypeWiggumBreak, Subject: subject, PartitionKey: run, Data: &runevents.WiggumBreak{Kind: runevents.BreakHard}}
}

// take reads n interrupts and gives their ids.
func take(t *testing.T, s *client.Subscriber, f client.Filter, from client.Start, n int) (ids []string, last uint64) {
	t.Helper()
	for i, err := range s.Interrupts(t.Context(), f, from) {
		require.NoError(t, err)
		ids, last = append(ids, i.Fired.ID), i.Sequence
		if len(ids) == n {
			break
		}
	}
	return ids, last
}

func TestInterruptsOfASessionARunAndTheFleet(t *testing.T) {
	b := newBench(t)
	for _, e := range []events.Event{fired("r1", "s1", "a"), fired("r1", "s2", "b"), fired("r2", "s1", "c"), fired("s3", "s3", "d"), broke("r1", "r1", "e"), fired("r1", "s1", "f")} {
		b.decide(t, e)
	}
	s := newSubscriber(t, b.conn, nil)
	all := client.Start{All: true}
	for _, c := range []struct {
		filter client.Filter
		want   []string
	}{
		{client.Filter{}, []string{"a", "b", "c", "d", "f"}},
		{client.Filter{Run: "r1"}, []string{"a", "b", "f"}},
		{client.Filter{Session: "s1"}, []string{"a", "c", "f"}},
		{client.Filter{Session: "s3"}, []string{"d"}},
	} {
		got, _ := take(t, s, c.filter, all, len(c.want))
		require.Equal(t, c.want, got, "%+v", c.filter)
	}
	_, last := take(t, s, client.Filter{}, all, 2)
	resumed, _ := take(t, s, client.Filter{}, client.Start{Sequence: last + 1}, 3)
	require.Equal(t, []string{"c", "d", "f"}, resumed)
	require.Zero(t, s.Skipped())
}

// RW-40: a correction for an agent comes like an interrupt; one for the
// orchestrator does not.
func TestCorrectionsForAgents(t *testing.T) {
	b := newBench(t)
	correct := func(subject, id, session string) events.Event {
		return events.Event{ID: id, Type: runevents.TypeCorrectionIssued, Subject: subject, PartitionKey: "r1", Data: &runevents.CorrectionIssued{
			Layer: sessionevents.LayerArchetype, Issue: "maker/rogue", Step: 1, Action: "correct", Text: "Write a test.", Target: runevents.Recipient{Kind: "agent", ID: "maker", Session: session},
		}}
	}
	for _, e := range []events.Event{correct("r1", "a", ""), correct("s1", "b", "s1"), fired("r1", "s1", "c"), correct("s2", "d", "s2")} {
		b.decide(t, e)
	}
	s := newSubscriber(t, b.conn, nil)
	got, _ := take(t, s, client.Filter{Session: "s1"}, client.Start{All: true}, 2)
	require.Equal(t, []string{"b", "c"}, got)
	got, _ = take(t, s, client.Filter{Run: "r1"}, client.Start{All: true}, 3)
	require.Equal(t, []string{"b", "c", "d"}, got)
}

// Without a start only what comes from now on is read, also across a restart
// of the broker.
func TestInterruptsFollowAcrossARestart(t *testing.T) {
	b := newBench(t)
	b.decide(t, fired("r1", "s1", "old"))
	s := newSubscriber(t, b.conn, nil)
	got := make(chan string, 10)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i, err := range s.Interrupts(ctx, client.Filter{Session: "s1"}, client.Start{}) {
			if err != nil {
				got <- err.Error()
				return
			}
			got <- i.Fired.ID
		}
	}()
	awaitConsumers(t, b, 1)
	b.decide(t, fired("r1", "s1", "a"))
	require.Equal(t, "a", <-got)
	b.stop()
	awaitConnection(t, b.conn, false)
	require.NoError(t, b.start())
	awaitConnection(t, b.conn, true)
	b.decide(t, fired("r1", "s1", "b"))
	require.Equal(t, "b", <-got)
	cancel()
	<-done
	require.Empty(t, got, "the end of the context is no error")
}

func awaitConsumers(t *testing.T, b *bench, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		stream, err := b.js.Stream(t.Context(), "DECISIONS")
		return err == nil && stream.CachedInfo().State.Consumers == n
	}, waitLimit, waitStep)
}

// EV-6: a message whose type does not fit its subject is skipped and counted.
func TestForgeriesAreSkipped(t *testing.T) {
	b := newBench(t)
	forged := fired("r1", "s1", "forged")
	forged.Source = "/evil"
	forged.Type, forged.Data = sessionevents.TypeBudgetExhausted, &sessionevents.BudgetExhausted{Session: "s1"}
	header, data, err := events.EncodeBinary(forged)
	require.NoError(t, err)
	_, err = b.js.PublishMsg(t.Context(), &nats.Msg{Subject: "interrupt.fired.3.r1.s1", Header: header, Data: data})
	require.NoError(t, err)
	_, err = b.js.Publish(t.Context(), "interrupt.fired.3.r1.s1", []byte(`{"stream":"X"}`)) // a stored reply of the server
	require.NoError(t, err)
	b.decide(t, fired("r1", "s1", "true"))
	var skipped []uint64
	s := newSubscriber(t, b.conn, func(m client.Skipped) { require.Error(t, m.Reason); skipped = append(skipped, m.Sequence) })
	got, _ := take(t, s, client.Filter{}, client.Start{All: true}, 1)
	require.Equal(t, []string{"true"}, got)
	require.Equal(t, []uint64{1, 2}, skipped)
	require.Equal(t, uint64(2), s.Skipped())
}

func TestHalts(t *testing.T) {
	b := newBench(t)
	for _, e := range []events.Event{broke("r1", "r1", "run"), broke("r1", "s1", "session"), broke("r1", "s2", "other"), broke("r2", "r2", "else"), broke("r1", "r1", "again")} {
		b.decide(t, e)
	}
	s := newSubscriber(t, b.conn, nil)
	for _, c := range []struct {
		filter client.Filter
		want   []string
	}{
		{client.Filter{Session: "s1", Run: "r1"}, []string{"run", "session", "again"}},
		{client.Filter{Session: "s1"}, []string{"session"}},
		{client.Filter{Run: "r1"}, []string{"run", "session", "other", "again"}},
		{client.Filter{}, []string{"run", "session", "other", "else", "again"}},
	} {
		var got []string
		for h, err := range s.Halts(t.Context(), c.filter, client.Start{All: true}) {
			require.NoError(t, err)
			require.Equal(t, runevents.BreakHard, h.Break.Kind)
			if got = append(got, h.Event.ID); len(got) == len(c.want) {
				break
			}
		}
		require.Equal(t, c.want, got, "%+v", c.filter)
	}
}

func TestSubscriberErrorsSayWhatToDo(t *testing.T) {
	b := newBench(t)
	require.NoError(t, b.js.DeleteStream(t.Context(), "DECISIONS"))
	s := newSubscriber(t, b.conn, nil)
	last := func(f client.Filter) (err error) {
		for _, err = range s.Interrupts(t.Context(), f, client.Start{}) {
		}
		return err
	}
	require.ErrorContains(t, last(client.Filter{}), "streams init")
	require.ErrorContains(t, last(client.Filter{Session: "a.>"}), "not a valid session or run id")
}
