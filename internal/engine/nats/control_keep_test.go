package nats_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	natscontrol "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// control is a control.changed of a run, or of a session of a run.
func control(run, session string, state runevents.ControlState, id string) events.Event {
	changed := &runevents.ControlChanged{State: state, Break: id, Scope: runevents.ScopeRun}
	ev := events.Event{
		ID: id, Source: "/test", Type: runevents.TypeControlChanged, Subject: run, Time: time.Unix(1_700_000_000, 0).UTC(), PartitionKey: run, Data: changed,
	}
	if session != "" {
		changed.Scope, changed.Run, ev.Subject = runevents.ScopeSession, run, session
	}
	return ev
}

// decide commits events as the dispatcher does, a batch for those of a partition.
func decide(t testing.TB, b *natsengine.Broker, list ...events.Event) {
	t.Helper()
	sink, err := commit.Sink(b, "dispatcher")
	require.NoError(t, err)
	byPartition := map[int][]events.Event{}
	for _, ev := range list {
		p := subjects.Partition(ev.Group(), b.Topology().Partitions)
		byPartition[p] = append(byPartition[p], ev)
	}
	for p, some := range byPartition {
		log, err := sink.Open(context.Background(), p)
		require.NoError(t, err)
		batch := engine.Batch{Position: engine.Position{Sequence: log.Position().Sequence + 1}}
		for _, ev := range some {
			m, err := log.Encode(ev.Group(), ev)
			require.NoError(t, err)
			batch.Messages = append(batch.Messages, m)
		}
		require.NoError(t, log.Commit(context.Background(), batch))
	}
}

// keepControl keeps CONTROL and returns when it has been rewritten.
func keepControl(t testing.TB, b *natsengine.Broker) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		natscontrol.Keep(ctx, b, func() { close(ready) }, func(err error) { t.Log(err) })
	}()
	select {
	case <-ready:
	case <-time.After(2 * time.Minute):
		t.Error("CONTROL was not rewritten")
	}
	return func() {
		cancel()
		<-done
	}
}

// states is the bucket as `key=state/break`, keys without a value left out.
func states(t testing.TB, b *natsengine.Broker) map[string]string {
	t.Helper()
	bucket, err := b.JetStream().KeyValue(context.Background(), topology.BucketControl)
	require.NoError(t, err)
	keys, err := bucket.ListKeys(context.Background())
	require.NoError(t, err)
	got := map[string]string{}
	for key := range keys.Keys() {
		entry, err := bucket.Get(context.Background(), key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue // it ended since it was listed
		}
		require.NoError(t, err)
		var c runevents.Control
		require.NoError(t, json.Unmarshal(entry.Value(), &c))
		got[key] = string(c.State) + "/" + c.Break
	}
	return got
}

func awaitState(t testing.TB, b *natsengine.Broker, key, want string) {
	t.Helper()
	require.Eventually(t, func() bool { return states(t, b)[key] == want }, time.Minute, 5*time.Millisecond)
}

// EV-8: CONTROL is what DECISIONS says, and follows it.
func TestControlFollowsDecisions(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	decide(t, b,
		control("r1", "", runevents.ControlRunning, "a"), control("r1", "s1", runevents.ControlRunning, "b"),
		control("r1", "", runevents.ControlHalted, "c"))
	// A session may have its run's id; in DECISIONS they share a subject.
	decide(t, b, control("r2", "r2", runevents.ControlHalted, "d"), control("r2", "", runevents.ControlDraining, "e"))
	stop := keepControl(t, b)
	require.Equal(t, map[string]string{
		"run.r1": "halted/c", "session.s1": "running/b", "session.r2": "halted/d", "run.r2": "draining/e",
	}, states(t, b), "rewritten before it is ready")
	decide(t, b, control("r1", "s1", runevents.ControlPaused, "f"), control("r1", "s1", runevents.ControlHalted, "g"), control("r3", "", runevents.ControlRunning, "h"))
	awaitState(t, b, "session.s1", "halted/g")
	awaitState(t, b, "run.r3", "running/h")
	different, err := natscontrol.Check(context.Background(), b)
	require.NoError(t, err)
	require.Empty(t, different)
	stop()

	kept := map[string]runevents.ControlState{}
	require.NoError(t, natscontrol.Kept(context.Background(), b, func(key string, state runevents.Control) { kept[key] = state.State }))
	require.Equal(t, map[string]runevents.ControlState{
		"run.r1": runevents.ControlHalted, "session.s1": runevents.ControlHalted, "session.r2": runevents.ControlHalted, "run.r2": runevents.ControlDraining,
		"run.r3": runevents.ControlUnknown, // that it runs is what DECISIONS says, not the bucket
	}, kept)
}

// watchBucket calls take with every value that is written to CONTROL, nil for a key
// that is gone, until stop is called.
func watchBucket(t testing.TB, b *natsengine.Broker, take func(key string, value *runevents.Control)) (stop func()) {
	t.Helper()
	bucket, err := b.JetStream().KeyValue(context.Background(), topology.BucketControl)
	require.NoError(t, err)
	watcher, err := bucket.WatchAll(context.Background())
	require.NoError(t, err)
	require.Nil(t, <-watcher.Updates(), "it is empty")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for entry := range watcher.Updates() {
			var value *runevents.Control
			if entry.Operation() == jetstream.KeyValuePut && json.Unmarshal(entry.Value(), &value) != nil {
				value = &runevents.Control{State: runevents.ControlUnknown}
			}
			take(entry.Key(), value)
		}
	}()
	return func() {
		require.NoError(t, watcher.Stop())
		<-done
	}
}

// What is wrong in the bucket, for whatever reason, is put right at the start.
func TestControlIsRewrittenAtEveryStart(t *testing.T) {
	ctx := context.Background()
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	for _, run := range []string{"r1", "r2", "r3", "r4", "r5", "r6"} {
		decide(t, b, control(run, "", runevents.ControlHalted, "a"))
	}
	keepControl(t, b)()
	bucket, err := b.JetStream().KeyValue(ctx, topology.BucketControl)
	require.NoError(t, err)
	before, err := bucket.Get(ctx, "run.r6")
	require.NoError(t, err)

	decide(t, b, control("r1", "", runevents.ControlRunning, "b")) // while nobody keeps it
	_, err = bucket.PutString(ctx, "run.r2", `{"state":"running"}`)
	require.NoError(t, err)
	require.NoError(t, bucket.Delete(ctx, "run.r3"))
	require.NoError(t, bucket.Purge(ctx, "run.r4"))
	_, err = bucket.PutString(ctx, "run.invented", `{"state":"halted"}`)
	require.NoError(t, err)
	decisions, err := b.JetStream().Stream(ctx, "DECISIONS")
	require.NoError(t, err)
	require.NoError(t, decisions.Purge(ctx, jetstream.WithPurgeSubject("control.changed.*.*.r5"))) // as a purge of a session does
	different, err := natscontrol.Check(ctx, b)
	require.NoError(t, err)
	require.Equal(t, []string{"run.r1", "run.r2", "run.r3", "run.r4", "run.invented", "run.r5"}, different)

	keepControl(t, b)()
	require.Equal(t, map[string]string{
		"run.r1": "running/b", "run.r2": "halted/a", "run.r3": "halted/a", "run.r4": "halted/a", "run.r6": "halted/a",
	}, states(t, b), "a key that nothing in DECISIONS speaks of is unknown")
	after, err := bucket.Get(ctx, "run.r6")
	require.NoError(t, err)
	require.Equal(t, before.Revision(), after.Revision(), "what is right is not written again")

	t.Run("the bucket is gone", func(t *testing.T) {
		require.NoError(t, b.JetStream().DeleteKeyValue(ctx, topology.BucketControl))
		_, err := topology.ProvisionOwn(ctx, b.JetStream(), b.Topology())
		require.NoError(t, err)
		keepControl(t, b)()
		require.Len(t, states(t, b), 5)
	})
	t.Run("the streams are made anew", func(t *testing.T) {
		require.NoError(t, b.JetStream().DeleteStream(ctx, "DECISIONS"))
		_, err := topology.ProvisionOwn(ctx, b.JetStream(), b.Topology())
		require.NoError(t, err)
		decide(t, b, control("r1", "", runevents.ControlHalted, "new"))
		keepControl(t, b)()
		require.Equal(t, map[string]string{"run.r1": "halted/new"}, states(t, b), "an old value's high sequence does not count")
	})
}

// A halt does not end because the decision is gone by age.
func TestControlOutlivesItsDecision(t *testing.T) {
	ctx := context.Background()
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	decide(t, b, control("r1", "", runevents.ControlHalted, "a"))
	decide(t, b, control("r2", "", runevents.ControlHalted, "b"), control("r3", "", runevents.ControlRunning, "b"))
	keepControl(t, b)()
	decisions, err := b.JetStream().Stream(ctx, "DECISIONS")
	require.NoError(t, err)
	require.NoError(t, decisions.Purge(ctx, jetstream.WithPurgeSequence(decisions.CachedInfo().State.LastSeq+3)))
	decide(t, b, control("r2", "", runevents.ControlRunning, "c"))
	keepControl(t, b)()
	require.Equal(t, map[string]string{"run.r1": "halted/a", "run.r2": "running/c", "run.r3": "running/b"}, states(t, b))
	kept := map[string]runevents.ControlState{}
	require.NoError(t, natscontrol.Kept(ctx, b, func(key string, state runevents.Control) { kept[key] = state.State }))
	require.Equal(t, map[string]runevents.ControlState{
		"run.r1": runevents.ControlHalted, "run.r3": runevents.ControlRunning, "run.r2": runevents.ControlUnknown, // DECISIONS has it
	}, kept)
}

// Only accepted events count (EV-6): not one that the broker was tricked into
// storing, however new.
func TestForgedControlCountsNothing(t *testing.T) {
	broker := natstest.Run(t)
	h := &heard{}
	b := open(t, broker.Conn, natsengine.Keys{}, h)
	decide(t, b, control("r1", "", runevents.ControlHalted, "a"))
	f := newForger(t, broker)
	forge := func(run string) {
		header, data, err := events.EncodeBinary(control(run, "", runevents.ControlRunning, "forged"))
		require.NoError(t, err)
		p := subjects.Partition(run, partitions)
		f.message(fmt.Sprintf("control.changed.%d.%s.%s", p, run, run), header, data)
	}
	forge("r1")
	forge("r2")
	stop := keepControl(t, b)
	require.Equal(t, map[string]string{"run.r1": "halted/a"}, states(t, b))
	require.Positive(t, h.all()[proof.ReasonOutside])
	decide(t, b, control("r3", "", runevents.ControlHalted, "c"))
	awaitState(t, b, "run.r3", "halted/c")
	require.Equal(t, "halted/a", states(t, b)["run.r1"])
	stop()
}

// Two instances write each value once and never go back; a broker that goes away
// is waited for.
func TestControlOfTwoInstancesNeverGoesBack(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	second := open(t, broker.Connect("second"), natsengine.Keys{}, nil)
	var values []string
	last := make(chan struct{})
	unwatch := watchBucket(t, b, func(key string, value *runevents.Control) {
		if key != "run.r" {
			return
		}
		if values = append(values, value.Break); value.Break == "099" {
			close(last)
		}
	})
	stops := []func(){keepControl(t, b), keepControl(t, second)}
	for i := range 100 {
		decide(t, b, control("r", "", runevents.ControlRunning, fmt.Sprintf("%03d", i)))
	}
	<-last
	unwatch()
	require.IsIncreasing(t, values, "no value comes twice, none goes back")

	broker.Restart()
	require.Eventually(t, func() bool { _, err := b.Extent(context.Background(), "dispatcher"); return err == nil }, time.Minute, 10*time.Millisecond)
	decide(t, b, control("r", "", runevents.ControlHalted, "100"))
	awaitState(t, b, "run.r", "halted/100")
	for _, stop := range stops {
		stop()
	}
}

// What lies in DECISIONS and cannot be read stops nobody.
func TestControlPassesOverWhatItCannotRead(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	f := newForger(t, broker)
	f.ack("control.changed.0.r.r")
	f.message("control.changed.99.r.r", nats.Header{"ce-type": {"control.changed"}}, []byte("{"))
	defer keepControl(t, b)()
	require.Empty(t, states(t, b))
	decide(t, b, control("r", strings.Repeat("s", 128), runevents.ControlHalted, "x"))
	awaitState(t, b, "session."+strings.Repeat("s", 128), "halted/x")
}
