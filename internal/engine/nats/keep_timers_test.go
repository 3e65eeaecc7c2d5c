package nats_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// sleeper sets a timer at each turn, after a while from when it arrived.
type sleeper struct {
	enginetest.Tally
	after time.Duration
}

func (s sleeper) Step(state *enginetest.State, in step.Input, out *step.Emitter) (*enginetest.State, error) {
	if in.Event.Type != events.TypeTimerExpired {
		out.Emit(events.TypeTimerSet, in.Event.Subject, &events.TimerSet{
			Name: "session.idle", Session: in.Event.Subject,
			Due: in.Arrived.Add(s.after).UTC(),
		})
	}
	return s.Tally.Step(state, in, out)
}

func runSleeper(t *testing.T, b *natsengine.Broker, s sleeper) (stop func()) {
	t.Helper()
	source, err := natssource.Of(b, "ingest")
	require.NoError(t, err)
	sink, err := commit.Sink(b, "ingest")
	require.NoError(t, err)
	runner := &engine.Runner[*enginetest.State]{Machine: s, Identity: identity, Source: source, Sink: sink, Options: brisk}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(t, <-done)
	}
}

func keepTimers(b *natsengine.Broker) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		keep.Timers(ctx, b, "ingest", func(error) {})
	}()
	return func() {
		cancel()
		<-done
	}
}

// expired waits for a timer.expired in INPUT about a session, after a sequence.
func expired(t *testing.T, b *natsengine.Broker, session string, after uint64) (engine.Record, time.Time) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	source, err := natssource.Of(b, "ingest")
	require.NoError(t, err)
	reading, err := source.Read(ctx, subjects.Partition(session, partitions), engine.Position{Sequence: after})
	require.NoError(t, err)
	defer reading.Close()
	for {
		record, err := reading.Next(ctx)
		require.NoError(t, err)
		require.Empty(t, record.Fault)
		if record.Input.Event.Type == events.TypeTimerExpired {
			return record, record.Input.Event.Data.(*events.TimerExpired).Due
		}
	}
}

func TestTimerComesBackAsARecordedEvent(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	// It is long enough for a timer to be set again before it expires, also on a busy machine.
	stop := runSleeper(t, b, sleeper{Tally: enginetest.Tally{Name: "ingest"}, after: 3 * time.Second})
	defer stop()
	defer keepTimers(b)()
	publish(t, b, turn("s1", "a", "x"))
	record, due := expired(t, b, "s1", 0)
	require.False(t, record.Input.Arrived.Before(due), "not before it is due")
	require.Equal(t, due, record.Input.Event.Time, "a timer's own time is when it is due")
	require.Equal(t, "s1", record.Group)

	// Set again, it replaces itself: one expiry, of the later time.
	publish(t, b, turn("s2", "b", "x"))
	publish(t, b, turn("s2", "c", "x"))
	accepted(t, b, "ingest", 7) // per turn a timer and a result, and the result of the first expiry
	second, later := expired(t, b, "s2", record.Position.Sequence)
	require.False(t, second.Input.Arrived.Before(later))
	require.Eventually(t, func() bool { return schedules(t, b) == 0 }, time.Minute, 5*time.Millisecond)
	input, err := b.JetStream().Stream(context.Background(), "INPUT")
	require.NoError(t, err)
	require.EqualValues(t, second.Position.Sequence, input.CachedInfo().State.LastSeq, "only one expiry of s2")
}

func schedules(t *testing.T, b *natsengine.Broker) int {
	t.Helper()
	timers, err := b.JetStream().Stream(context.Background(), "TIMERS")
	require.NoError(t, err)
	lister, err := timers.Info(context.Background())
	require.NoError(t, err)
	_, err = timers.GetLastMsgForSubject(context.Background(), "timer.at.ingest.s2.s2.session_idle")
	if err != nil {
		return 0
	}
	return int(lister.State.Msgs)
}

func TestTimerSurvivesRestarts(t *testing.T) {
	broker := natstest.Run(t)
	b := open(t, broker.Conn, natsengine.Keys{}, nil)
	sleeper := sleeper{Tally: enginetest.Tally{Name: "ingest"}, after: 300 * time.Millisecond}
	t.Run("nobody keeps timers when it is set", func(t *testing.T) {
		stop := runSleeper(t, b, sleeper)
		publish(t, b, turn("s1", "a", "x"))
		accepted(t, b, "ingest", 2)
		stop()
		broker.Restart()
		defer keepTimers(b)()
		record, due := expired(t, b, "s1", 0)
		require.False(t, record.Input.Arrived.Before(due))
	})
	t.Run("the broker restarts between set and due", func(t *testing.T) {
		sleeper.after = 2 * time.Second
		stop := runSleeper(t, b, sleeper)
		keeper := keepTimers(b)
		publish(t, b, turn("s2", "b", "x"))
		require.Eventually(t, func() bool { return schedules(t, b) > 0 }, time.Minute, time.Millisecond)
		keeper()
		stop()
		broker.Restart()
		record, due := expired(t, b, "s2", 0)
		require.False(t, record.Input.Arrived.Before(due))
	})
	t.Run("INPUT is purged and the broker restarts before it is set", func(t *testing.T) {
		sleeper.after = 300 * time.Millisecond
		stop := runSleeper(t, b, sleeper)
		keeper := keepTimers(b)
		input, err := b.JetStream().Stream(context.Background(), "INPUT")
		require.NoError(t, err)
		before := state(t, b, "INPUT").LastSeq
		publish(t, b, turn("s3", "c", "x"))
		_, _ = expired(t, b, "s3", before)
		keeper()
		stop()
		require.NoError(t, input.Purge(context.Background()))
		broker.Restart()
		sleeper.after = 2 * time.Second
		stop = runSleeper(t, b, sleeper)
		defer stop()
		defer keepTimers(b)()
		before = state(t, b, "INPUT").LastSeq
		publish(t, b, turn("s4", "d", "x"))
		record, due := expired(t, b, "s4", before)
		require.False(t, record.Input.Arrived.Before(due))
	})
}

func state(t *testing.T, b *natsengine.Broker, stream string) jetstream.StreamState {
	t.Helper()
	s, err := b.JetStream().Stream(context.Background(), stream)
	require.NoError(t, err)
	return s.CachedInfo().State
}

// TestInputMissesNoTimer takes INPUT away while timers go off: made again, it
// copies each of them, once.
func TestInputMissesNoTimer(t *testing.T) {
	ctx := context.Background()
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	require.NoError(t, b.JetStream().DeleteStream(ctx, "INPUT"))
	for _, session := range []string{"s1", "s2"} {
		ev := events.Event{
			ID: "id-" + session, Source: engine.TimerSource, Type: events.TypeTimerExpired, Subject: session, Time: time.Now(),
			Data: &events.TimerExpired{Name: "session.idle", Session: session, Due: time.Now().UTC()},
		}
		header, data, err := events.EncodeBinary(ev)
		require.NoError(t, err)
		m := &nats.Msg{Subject: "timer.at.ingest." + session + "." + session + ".session_idle", Header: header, Data: data}
		m.Header.Set("Nats-Schedule", "@at "+time.Now().UTC().Format(time.RFC3339Nano))
		m.Header.Set("Nats-Schedule-Target", "timer.expired."+session+"."+session)
		_, err = b.JetStream().PublishMsg(ctx, m)
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool { return state(t, b, "TIMERS").LastSeq == 4 }, time.Minute, 5*time.Millisecond)
	require.EqualValues(t, 2, state(t, b, "TIMERS").Msgs, "what went off waits no more")
	differences, err := topology.ProvisionOwn(ctx, b.JetStream(), b.Topology())
	require.NoError(t, err)
	require.Empty(t, differences)
	for _, session := range []string{"s1", "s2"} {
		record, _ := expired(t, b, session, 0)
		require.Equal(t, "id-"+session, record.Input.Event.ID)
		require.Equal(t, session, record.Group)
	}
	require.EqualValues(t, 2, state(t, b, "INPUT").LastSeq)
}

// set is a timer.set of the dispatcher about a run.
func set(id, run string, data events.TimerSet, at time.Time) events.Event {
	return events.Event{ID: id, Source: "/scaffoldwatch/dispatcher", Type: events.TypeTimerSet, Subject: run, Time: at, PartitionKey: run, Data: &data}
}

// recordedDetails waits for n timers of a group in INPUT: their details, and whose they are.
func recordedDetails(t *testing.T, b *natsengine.Broker, group string, n int) map[string]string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	source, err := natssource.Of(b, "ingest")
	require.NoError(t, err)
	reading, err := source.Read(ctx, subjects.Partition(group, partitions), engine.Position{})
	require.NoError(t, err)
	defer reading.Close()
	got := map[string]string{}
	for len(got) < n {
		record, err := reading.Next(ctx)
		require.NoError(t, err, "after %v", got)
		require.Empty(t, record.Fault)
		if record.Group == group {
			got[string(record.Input.Event.Data.(*events.TimerExpired).Details)] = record.Input.Event.Subject
		}
	}
	return got
}

// What runs tell their project goes to INPUT under the project's group at once,
// all of it: of several runs, several things of one run, and whatever the clock of
// the publisher says.
func TestNewsOfRunsReachTheirProject(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	var list []events.Event
	for i, told := range []struct {
		run string
		at  time.Time
	}{
		{"r1", time.Now()}, {"r2", time.Now()}, {"r2", time.Now()}, {"r3", time.Now().AddDate(-1, 0, 0)}, {"r4", time.Now().AddDate(50, 0, 0)},
	} {
		list = append(list, set("set"+string(rune('0'+i)), told.run, events.TimerSet{
			Name: "shadow.project", Group: "project-x", Due: told.at.UTC(), Details: []byte{byte('0' + i)},
		}, told.at))
	}
	// Its own timers replace one another, those of another run do not.
	for i, run := range []string{"r1", "r1", "r2"} {
		list = append(list, set("own"+string(rune('0'+i)), run, events.TimerSet{
			Name: "run.checkpoint", Group: "project-y", Due: time.Now().Add(4 * time.Second).UTC(), Details: []byte{byte('0' + i)},
		}, time.Now()))
	}
	// What lies there by another stage is kept where it was set.
	foreign := set("foreign", "r5", events.TimerSet{Name: "x", Group: "project-y", Due: list[0].Time.UTC(), Details: []byte("9")}, list[0].Time)
	foreign.Source = "/scaffoldwatch/evaluator"
	decide(t, b, append(list, foreign)...)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		keep.Timers(ctx, b, "dispatcher", func(err error) { t.Log(err) })
	}()
	require.Equal(t, map[string]string{"0": "r1", "1": "r2", "2": "r2", "3": "r3", "4": "r4"}, recordedDetails(t, b, "project-x", 5))
	require.Equal(t, map[string]string{"1": "r1", "2": "r2"}, recordedDetails(t, b, "project-y", 2))
	require.EqualValues(t, 7, state(t, b, "INPUT").LastSeq)
	cancel()
	<-done
}
