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
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// changed is a control.changed of a run, or of a session of a run.
func changed(id, run, session string, state runevents.ControlState) events.Event {
	e := events.Event{
		ID: id, Type: runevents.TypeControlChanged, Subject: run, PartitionKey: run,
		Data: &runevents.ControlChanged{State: state, Scope: runevents.ScopeRun, Why: id},
	}
	if session != "" {
		e.Subject = session
		e.Data = &runevents.ControlChanged{State: state, Scope: runevents.ScopeSession, Run: run, Why: id}
	}
	return e
}

func over(e events.Event) events.Event {
	e.Data.(*runevents.ControlChanged).Ended = true
	return e
}

// forge stores an event as a client does that has the broker's reply stored: with
// subject and type right, and in no batch.
func (b *bench) forge(t *testing.T, e events.Event) {
	t.Helper()
	subject, err := subjects.StoredSubject(events.StreamDecisions, e, 16)
	require.NoError(t, err)
	e.Source = "/scaffoldwatch/dispatcher"
	header, data, err := events.EncodeBinary(e)
	require.NoError(t, err)
	_, err = b.js.PublishMsg(t.Context(), &nats.Msg{Subject: subject, Header: header, Data: data})
	require.NoError(t, err)
}

func (b *bench) control(t *testing.T, f client.Filter) runevents.Control {
	t.Helper()
	got, err := newSubscriber(t, b.conn, nil).Control(t.Context(), f)
	require.NoError(t, err)
	return got
}

// EV-8: what nobody decided is unknown, and the stricter of run and session holds.
func TestControl(t *testing.T) {
	b := newBench(t)
	both := client.Filter{Session: "s1", Run: "r1"}
	require.Equal(t, runevents.Control{State: runevents.ControlUnknown}, b.control(t, both))
	b.decide(t, changed("a", "r1", "s1", runevents.ControlRunning))
	require.Equal(t, runevents.ControlRunning, b.control(t, client.Filter{Session: "s1"}).State)
	require.Equal(t, runevents.ControlUnknown, b.control(t, both).State)
	b.decide(t, changed("b", "r1", "", runevents.ControlDraining))
	require.Equal(t, "b", b.control(t, both).Why)
	b.decide(t, changed("c", "r1", "s1", runevents.ControlHalted))
	require.Equal(t, runevents.ControlHalted, b.control(t, both).State)
	b.decide(t, over(changed("d", "r1", "s1", runevents.ControlRunning)))
	require.Equal(t, runevents.Control{State: runevents.ControlUnknown, Why: "it has ended"}, b.control(t, client.Filter{Session: "s1"}))

	// A session may have its run's id; in DECISIONS they share a subject.
	b.decide(t, changed("e", "x", "x", runevents.ControlHalted))
	b.decide(t, changed("f", "x", "", runevents.ControlRunning))
	require.Equal(t, "e", b.control(t, client.Filter{Session: "x"}).Why)
	require.Equal(t, "f", b.control(t, client.Filter{Run: "x"}).Why)

	_, err := newSubscriber(t, b.conn, nil).Control(t.Context(), client.Filter{})
	require.ErrorContains(t, err, "names neither")
}

// Where DECISIONS holds nothing the bucket counts, but none can let a run go on
// that nobody let.
func TestControlOfTheBucket(t *testing.T) {
	b := newBench(t)
	bucket, err := b.js.KeyValue(t.Context(), runevents.ControlBucket)
	require.NoError(t, err)
	put := func(state runevents.ControlState, decision string) {
		value, err := json.Marshal(runevents.Control{State: state})
		require.NoError(t, err)
		_, err = b.js.PublishMsg(t.Context(), &nats.Msg{Subject: "$KV.CONTROL.run.r", Data: value, Header: nats.Header{"Scaffoldwatch-Decision": {decision}}})
		require.NoError(t, err)
	}
	state := func() runevents.ControlState { return b.control(t, client.Filter{Run: "r"}).State }
	put(runevents.ControlHalted, "")
	require.Equal(t, runevents.ControlHalted, state())
	put(runevents.ControlRunning, "")
	require.Equal(t, runevents.ControlUnknown, state(), "it names no decision")
	b.decide(t, fired("r", "s", "something"))
	put(runevents.ControlRunning, "2026-01-01T00:00:00Z 1")
	require.Equal(t, runevents.ControlUnknown, state(), "the decision would be there")
	stream, err := b.js.Stream(t.Context(), "DECISIONS")
	require.NoError(t, err)
	require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSequence(3)))
	b.decide(t, fired("r", "s", "later"))
	require.Equal(t, runevents.ControlRunning, state(), "the decision is gone by age")
	_, err = bucket.Put(t.Context(), "run.r", []byte("torn"))
	require.NoError(t, err)
	require.Equal(t, runevents.ControlUnknown, state())
	require.NoError(t, bucket.Delete(t.Context(), "run.r"))
	require.Equal(t, runevents.ControlUnknown, state())

	b.decide(t, changed("a", "r", "", runevents.ControlHalted))
	put(runevents.ControlRunning, "2026-01-01T00:00:00Z 1")
	require.Equal(t, runevents.ControlHalted, state(), "what is decided counts")
	require.NoError(t, b.js.DeleteKeyValue(t.Context(), runevents.ControlBucket))
	require.Equal(t, runevents.ControlHalted, state())
	got, err := newSubscriber(t, b.conn, nil).Control(t.Context(), client.Filter{Run: "else"})
	require.ErrorContains(t, err, "streams init")
	require.Equal(t, runevents.ControlUnknown, got.State)
}

// A watcher that starts late sees a halt, and so does one that lost the connection
// while it was decided.
func TestWatchControl(t *testing.T) {
	b := newBench(t)
	b.decide(t, changed("a", "r1", "s1", runevents.ControlRunning))
	b.decide(t, changed("b", "r1", "", runevents.ControlHalted))
	var got []string
	steps := []func(){
		func() { b.decide(t, changed("c", "r1", "", runevents.ControlRunning)) },
		func() {
			b.stop()
			awaitConnection(t, b.conn, false)
			require.NoError(t, b.start())
			awaitConnection(t, b.conn, true)
			b.decide(t, changed("d", "r1", "s1", runevents.ControlPaused))
		},
		func() {
			b.forge(t, changed("forged", "r1", "s1", runevents.ControlRunning))
			b.decide(t, changed("e", "r1", "s1", runevents.ControlRunning))
		},
		func() { b.decide(t, over(changed("f", "r1", "", runevents.ControlRunning))) },
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
	b.decide(t, changed("a", "nightly", "", runevents.ControlRunning))
	b.decide(t, over(changed("b", "nightly", "", runevents.ControlRunning)))
	require.NoError(t, run.AwaitRunning(t.Context()))
	b.decide(t, changed("c", "nightly", "", runevents.ControlPaused))
	b.forge(t, changed("forged", "nightly", "", runevents.ControlRunning))
	working, stop := run.UntilHalted(t.Context())
	defer stop()
	<-working.Done()
	require.EqualError(t, context.Cause(working), "run nightly is paused: c")
}
