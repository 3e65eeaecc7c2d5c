package nats_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/dead"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// firstStage is ingest, as far as its source is concerned.
type firstStage struct {
	t      *testing.T
	broker *natsengine.Broker
}

// newFirstStage returns one whose INPUT keeps messages for a while.
func newFirstStage(t *testing.T, inputAge time.Duration, ages ...time.Duration) *firstStage {
	layout := topology.Topology{Partitions: 1, InputAge: inputAge, Ages: map[events.Stream]time.Duration{}}
	for _, age := range ages {
		layout.Ages[events.StreamSegments] = age
	}
	b, err := natsengine.Open(natstest.Run(t).Conn, layout, natsengine.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(context.Background(), b.JetStream(), b.Topology())
	require.NoError(t, err)
	return &firstStage{t, b}
}

// run folds until done; its commits fail from the moment it is killed.
func (f *firstStage) run(done func() bool, kill bool) {
	f.t.Helper()
	source, err := natssource.Of(f.broker, "ingest")
	require.NoError(f.t, err)
	sink, err := commit.Sink(f.broker, "ingest")
	require.NoError(f.t, err)
	var killed atomic.Bool
	failing := &enginetest.Failing{Sink: sink, OnCommit: func(int) enginetest.Failure {
		if killed.Load() {
			return enginetest.Lost
		}
		return enginetest.None
	}}
	ctx, cancel := context.WithCancel(context.Background())
	runner := &engine.Runner[*enginetest.State]{
		Machine: enginetest.Exact{Tally: enginetest.Tally{Name: "ingest"}}, Identity: identity, Source: source, Sink: failing,
		Options: engine.Options{Partitions: 1, MinPause: time.Millisecond, MaxPause: 10 * time.Millisecond},
	}
	stopped := make(chan error, 1)
	go func() { stopped <- runner.Run(ctx) }()
	require.Eventually(f.t, done, time.Minute, 60*time.Millisecond)
	killed.Store(kill)
	cancel()
	require.NoError(f.t, <-stopped)
}

// outputs counts what the stage has written.
func (f *firstStage) outputs() (n int) {
	err := read.All(context.Background(), f.broker, read.Options{Stage: "ingest", Partition: natsengine.AllPartitions}, func(read.Accepted) error {
		n++
		return nil
	})
	require.NoError(f.t, err)
	return n
}

// saved reports whether a session's state with so many turns is stored.
func (f *firstStage) saved(session string, turns int) bool {
	stream, err := f.broker.JetStream().Stream(context.Background(), string(events.StreamSegments))
	require.NoError(f.t, err)
	m, err := stream.GetLastMsgForSubject(context.Background(), subjects.SnapshotSubject("ingest", 0, session))
	return err == nil && m.Header.Get("Scaffoldwatch-Folded") == fmt.Sprint(turns)
}

func (f *firstStage) letters() (reasons []string) {
	require.NoError(f.t, dead.Letters(context.Background(), f.broker, func(letter dead.Stored) error {
		reasons = append(reasons, letter.Reason)
		return nil
	}))
	return reasons
}

func (f *firstStage) publish(session string, turns int) {
	for i := range turns {
		publish(f.t, f.broker, turn(session, fmt.Sprintf("%s-%d", session, i), "x"))
	}
}

// keeps sets how long the streams really keep their messages, so that what is to be folded does not
// expire on a slow machine before it is.
func (f *firstStage) keeps(input, segments time.Duration) {
	f.t.Helper()
	for name, age := range map[events.Stream]time.Duration{events.StreamInput: input, events.StreamSegments: segments} {
		stream, err := f.broker.JetStream().Stream(context.Background(), string(name))
		require.NoError(f.t, err)
		c := stream.CachedInfo().Config
		c.MaxAge, c.Duplicates = age, min(c.Duplicates, age)
		_, err = f.broker.JetStream().UpdateStream(context.Background(), c)
		require.NoError(f.t, err)
	}
}

// expire waits until INPUT is empty.
func (f *firstStage) expire() {
	require.Eventually(f.t, func() bool { return f.input() == 0 }, time.Minute, 20*time.Millisecond)
}

func (f *firstStage) input() uint64 {
	stream, err := f.broker.JetStream().Stream(context.Background(), string(events.StreamInput))
	require.NoError(f.t, err)
	info, err := stream.Info(context.Background())
	require.NoError(f.t, err)
	return info.State.Msgs
}

// What was folded is remembered after INPUT has forgotten it, after a stop and
// after a kill (SW-1a).
func TestRepeatedAfterInputExpired(t *testing.T) {
	for _, kill := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed=%v", kill), func(t *testing.T) {
			t.Parallel()
			f := newFirstStage(t, 2*time.Second)
			f.keeps(10*time.Minute, 10*time.Minute)
			f.publish("s", 5)
			f.publish("t", 2)
			f.run(func() bool { return f.outputs() == 7 }, kill)
			if kill { // the next owner saves what this one did not, without an input
				f.run(func() bool { return f.saved("s", 5) && f.saved("t", 2) }, true)
			}
			f.keeps(time.Second, 10*time.Minute)
			f.expire()
			f.keeps(10*time.Minute, 10*time.Minute)
			f.publish("s", 6)
			f.run(func() bool { return f.outputs() == 8 }, true)
			require.Empty(t, f.letters())
			require.Equal(t, 8, f.outputs(), "five of the six came before")
		})
	}
}

// A stage that was killed and stayed down until INPUT had expired refuses the
// groups that it had not saved; it does not guess.
func TestRefusesWhatExpiredUnsaved(t *testing.T) {
	t.Parallel()
	f := newFirstStage(t, time.Hour)
	f.publish("saved", 8) // a snapshot is due
	f.publish("s", 5)
	f.run(func() bool { return f.outputs() == 13 }, true)
	f.keeps(time.Second, 10*time.Minute)
	f.expire()
	f.keeps(10*time.Minute, 10*time.Minute)
	f.publish("s", 6)
	f.publish("saved", 9)
	f.publish("new", 2)
	f.run(func() bool { return f.outputs() == 13+1+2+6 && len(f.letters()) == 6 }, true)
	for _, reason := range f.letters() {
		require.Contains(t, reason, "expired before it was saved")
	}
	f.publish("s", 1)
	f.run(func() bool { return len(f.letters()) == 7 }, true)
}

// What was folded is remembered after the stage's own stream has forgotten it too.
func TestRepeatedAfterEverythingExpired(t *testing.T) {
	t.Parallel()
	f := newFirstStage(t, 2*time.Second, 3*time.Second)
	f.keeps(10*time.Minute, 10*time.Minute)
	f.publish("s", 5)
	f.publish("t", 9)
	f.run(func() bool { return f.outputs() == 14 }, false)
	f.keeps(2*time.Second, 3*time.Second)
	f.expire()
	require.Eventually(t, func() bool { return f.outputs() == 0 }, time.Minute, 200*time.Millisecond)
	f.keeps(10*time.Minute, 10*time.Minute)
	f.publish("s", 6)
	f.publish("t", 10)
	f.run(func() bool { return f.outputs() == 2 }, false)
	require.Empty(t, f.letters())
	require.Equal(t, 2, f.outputs(), "one new turn of each")
}
