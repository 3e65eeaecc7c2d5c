package natsio_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/stagetest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// sleeper sets a timer at each turn, after a while from when it arrived.
type sleeper struct {
	stagetest.Tally
	after time.Duration
}

func (s sleeper) Step(state *stagetest.State, in step.Input, out *step.Emitter) (*stagetest.State, error) {
	if in.Event.Type != events.TypeTimerExpired {
		out.Emit(events.TypeTimerSet, in.Event.Subject, &events.TimerSet{
			Name: "session.idle", Session: in.Event.Subject,
			Due: in.Arrived.Add(s.after).UTC().Format(time.RFC3339Nano),
		})
	}
	return s.Tally.Step(state, in, out)
}

func runSleeper(t *testing.T, b *natsio.Broker, s sleeper) (stop func()) {
	t.Helper()
	source, err := b.Source("ingest")
	require.NoError(t, err)
	sink, err := b.Sink("ingest")
	require.NoError(t, err)
	runner := &stage.Runner[*stagetest.State]{Machine: s, Identity: identity, Source: source, Sink: sink, Options: brisk}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx) }()
	return func() {
		cancel()
		require.NoError(t, <-done)
	}
}

func keepTimers(b *natsio.Broker) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.KeepTimers(ctx, "ingest", func(error) {})
	}()
	return func() {
		cancel()
		<-done
	}
}

// expired waits for a timer.expired in INPUT about a session, after a sequence.
func expired(t *testing.T, b *natsio.Broker, session string, after uint64) (stage.Record, time.Time) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	source, err := b.Source("ingest")
	require.NoError(t, err)
	reading, err := source.Read(ctx, events.Partition(session, partitions), stage.Position{Sequence: after})
	require.NoError(t, err)
	defer reading.Close()
	for {
		record, err := reading.Next(ctx)
		require.NoError(t, err)
		require.Empty(t, record.Fault)
		if record.Input.Event.Type == events.TypeTimerExpired {
			due, err := time.Parse(time.RFC3339Nano, record.Input.Event.Data.(*events.TimerExpired).Due)
			require.NoError(t, err)
			return record, due
		}
	}
}

func TestTimerComesBackAsARecordedEvent(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsio.Keys{}, nil)
	stop := runSleeper(t, b, sleeper{Tally: stagetest.Tally{Name: "ingest"}, after: 300 * time.Millisecond})
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
	require.Eventually(t, func() bool { return schedules(t, b) == 0 }, 5*time.Second, 5*time.Millisecond)
	input, err := b.JetStream().Stream(context.Background(), "INPUT")
	require.NoError(t, err)
	require.EqualValues(t, second.Position.Sequence, input.CachedInfo().State.LastSeq, "only one expiry of s2")
}

func schedules(t *testing.T, b *natsio.Broker) int {
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
	b := open(t, broker.Conn, natsio.Keys{}, nil)
	sleeper := sleeper{Tally: stagetest.Tally{Name: "ingest"}, after: 300 * time.Millisecond}
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
		require.Eventually(t, func() bool { return schedules(t, b) > 0 }, 10*time.Second, time.Millisecond)
		keeper()
		stop()
		broker.Restart()
		record, due := expired(t, b, "s2", 0)
		require.False(t, record.Input.Arrived.Before(due))
	})
}
