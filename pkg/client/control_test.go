package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// changed is a control.changed of a run, or of a session of a run.
func changed(id, run, session string, state events.ControlState) events.Event {
	e := events.Event{
		ID: id, Type: events.TypeControlChanged, Subject: run, PartitionKey: run,
		Data: &events.ControlChanged{State: state, Scope: events.ScopeRun, Why: id},
	}
	if session != "" {
		e.Subject = session
		e.Data = &events.ControlChanged{State: state, Scope: events.ScopeSession, Run: run, Why: id}
	}
	return e
}

func over(e events.Event) events.Event {
	e.Data.(*events.ControlChanged).Ended = true
	return e
}

// forge stores an event as a client does that has the broker's reply stored: with
// subject and type right, and in no batch.
func (b *bench) forge(t *testing.T, e events.Event) {
	t.Helper()
	subject, err := events.StoredSubject(events.StreamDecisions, e, 16)
	require.NoError(t, err)
	e.Source = "/scaffoldwatch/dispatcher"
	header, data, err := events.EncodeBinary(e)
	require.NoError(t, err)
	_, err = b.js.PublishMsg(t.Context(), &nats.Msg{Subject: subject, Header: header, Data: data})
	require.NoError(t, err)
}

func (b *bench) control(t *testing.T, f client.Filter) events.Control {
	t.Helper()
	got, err := newSubscriber(t, b.conn, nil).Control(t.Context(), f)
	require.NoError(t, err)
	return got
}

// EV-8: what nobody decided is unknown, and the stricter of run and session holds.
func TestControl(t *testing.T) {
	b := newBench(t)
	both := client.Filter{Session: "s1", Run: "r1"}
	require.Equal(t, events.Control{State: events.ControlUnknown}, b.control(t, both))
	b.decide(t, changed("a", "r1", "s1", events.ControlRunning))
	require.Equal(t, events.ControlRunning, b.control(t, client.Filter{Session: "s1"}).State)
	require.Equal(t, events.ControlUnknown, b.control(t, both).State)
	b.decide(t, changed("b", "r1", "", events.ControlDraining))
	require.Equal(t, "b", b.control(t, both).Why)
	b.decide(t, changed("c", "r1", "s1", events.ControlHalted))
	require.Equal(t, events.ControlHalted, b.control(t, both).State)
	b.decide(t, over(changed("d", "r1", "s1", events.ControlRunning)))
	require.Equal(t, events.Control{State: events.ControlUnknown, Why: "it has ended"}, b.control(t, client.Filter{Session: "s1"}))

	// A session may have its run's id; in DECISIONS they share a subject.
	b.decide(t, changed("e", "x", "x", events.ControlHalted))
	b.decide(t, changed("f", "x", "", events.ControlRunning))
	require.Equal(t, "e", b.control(t, client.Filter{Session: "x"}).Why)
	require.Equal(t, "f", b.control(t, client.Filter{Run: "x"}).Why)

	_, err := newSubscriber(t, b.conn, nil).Control(t.Context(), client.Filter{})
	require.ErrorContains(t, err, "names neither")
}

// Where DECISIONS holds nothing the bucket counts, but none can let a run go on
// that nobody let.
func TestControlOfTheBucket(t *testing.T) {
	b := newBench(t)
	bucket, err := b.js.KeyValue(t.Context(), events.ControlBucket)
	require.NoError(t, err)
	put := func(state events.ControlState, decision string) {
		value, err := json.Marshal(events.Control{State: state})
		require.NoError(t, err)
		_, err = b.js.PublishMsg(t.Context(), &nats.Msg{Subject: "$KV.CONTROL.run.r", Data: value, Header: nats.Header{"Scaffoldwatch-Decision": {decision}}})
		require.NoError(t, err)
	}
	state := func() events.ControlState { return b.control(t, client.Filter{Run: "r"}).State }
	put(events.ControlHalted, "")
	require.Equal(t, events.ControlHalted, state())
	put(events.ControlRunning, "")
	require.Equal(t, events.ControlUnknown, state(), "it names no decision")
	b.decide(t, fired("r", "s", "something"))
	put(events.ControlRunning, "2026-01-01T00:00:00Z 1")
	require.Equal(t, events.ControlUnknown, state(), "the decision would be there")
	stream, err := b.js.Stream(t.Context(), "DECISIONS")
	require.NoError(t, err)
	require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSequence(3)))
	b.decide(t, fired("r", "s", "later"))
	require.Equal(t, events.ControlRunning, state(), "the decision is gone by age")
	_, err = bucket.Put(t.Context(), "run.r", []byte("torn"))
	require.NoError(t, err)
	require.Equal(t, events.ControlUnknown, state())
	require.NoError(t, bucket.Delete(t.Context(), "run.r"))
	require.Equal(t, events.ControlUnknown, state())

	b.decide(t, changed("a", "r", "", events.ControlHalted))
	put(events.ControlRunning, "2026-01-01T00:00:00Z 1")
	require.Equal(t, events.ControlHalted, state(), "what is decided counts")
	require.NoError(t, b.js.DeleteKeyValue(t.Context(), events.ControlBucket))
	require.Equal(t, events.ControlHalted, state())
	got, err := newSubscriber(t, b.conn, nil).Control(t.Context(), client.Filter{Run: "else"})
	require.ErrorContains(t, err, "streams init")
	require.Equal(t, events.ControlUnknown, got.State)
}

// A watcher that starts late sees a halt, and so does one that lost the connection
// while it was decided.
func TestWatchControl(t *testing.T) {
	b := newBench(t)
	b.decide(t, changed("a", "r1", "s1", events.ControlRunning))
	b.decide(t, changed("b", "r1", "", events.ControlHalted))
	var got []string
	steps := []func(){
		func() { b.decide(t, changed("c", "r1", "", events.ControlRunning)) },
		func() {
			b.stop()
			awaitConnection(t, b.conn, false)
			require.NoError(t, b.start())
			awaitConnection(t, b.conn, true)
			b.decide(t, changed("d", "r1", "s1", events.ControlPaused))
		},
		func() {
			b.forge(t, changed("forged", "r1", "s1", events.ControlRunning))
			b.decide(t, changed("e", "r1", "s1", events.ControlRunning))
		},
		func() { b.decide(t, over(changed("f", "r1", "", events.ControlRunning))) },
	}
	for c, err := range newSubscriber(t, b.conn, nil).WatchControl(t.Context(), client.Filter{Session: "s1", Run: "r1"}) {
		require.NoError(t, err)
		if got = append(got, fmt.Sprint(c.State, " ", c.Why)); len(steps) == 0 {
			break
		}
		steps[0]()
		steps = steps[1:]
	}
	require.Equal(t, []string{"halted b", "running a", "paused d", "running e", "unknown it has ended"}, got)
}

// A run that ended unhindered may be begun again; a halt that is older than what
// is read ends it at once.
func TestAwaitAndUntilOfLateComers(t *testing.T) {
	b := newBench(t)
	run := openRun(t, b, client.DefaultPatience)
	b.decide(t, changed("a", "nightly", "", events.ControlRunning))
	b.decide(t, over(changed("b", "nightly", "", events.ControlRunning)))
	require.NoError(t, run.AwaitRunning(t.Context()))
	b.decide(t, changed("c", "nightly", "", events.ControlPaused))
	b.forge(t, changed("forged", "nightly", "", events.ControlRunning))
	working, stop := run.UntilHalted(t.Context())
	defer stop()
	<-working.Done()
	require.EqualError(t, context.Cause(working), "run nightly is paused: c")
}
