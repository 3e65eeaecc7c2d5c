package nats_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natscontrol "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// lagging answers some questions about a bucket's last messages as a replica does that has
// nothing of what was written yet.
type lagging struct {
	jetstream.Stream
	left *atomic.Int64 // answers that lag
	with error
}

func (l lagging) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	if l.left.Add(-1) >= 0 {
		return nil, l.with
	}
	return l.Stream.GetLastMsgForSubject(ctx, subject)
}

// lag makes the next answers about CONTROL be err. It returns how many are left.
func lag(t *testing.T, b *natsengine.Broker, with error) *atomic.Int64 {
	t.Helper()
	left := &atomic.Int64{}
	require.NoError(t, b.Answering(t.Context(), "KV_"+topology.BucketControl, func(s jetstream.Stream) jetstream.Stream {
		return lagging{s, left, with}
	}))
	return left
}

// EV-8: what ended leaves CONTROL although whoever is asked for its key does not know it yet, as
// after a lost leader; nothing else is decided about it, so nothing else would take it out.
func TestAnEndIsNotLostToAReplicaThatLags(t *testing.T) {
	for name, with := range map[string]error{
		"it has no such key":   jetstream.ErrMsgNotFound,
		"the request is lost":  context.DeadlineExceeded, // keeping starts over
		"there is no leader":   errors.New("nats: JetStream system temporarily unavailable"),
		"it knows neither yet": jetstream.ErrMsgNotFound,
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
			left := lag(t, b, with)
			defer keepControl(t, b)()
			decide(t, b, control("r", "s", runevents.ControlRunning, "a"), control("r", "t", runevents.ControlRunning, "b"))
			awaitState(t, b, "session.t", "running/b")
			awaitState(t, b, "session.s", "running/a")
			left.Store(1)
			if name == "it knows neither yet" {
				left.Store(2)
			}
			decide(t, b, ended("r", "s", "c"))
			awaitState(t, b, "session.s", "")
			require.LessOrEqual(t, left.Load(), int64(0), "it was asked")
			require.Equal(t, map[string]string{"session.t": "running/b"}, states(t, b))
		})
	}
}

// The same where a dispatcher starts, and the comparison has found it.
func TestAnEndIsPutRightByAReplicaThatLags(t *testing.T) {
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	decide(t, b, control("r", "s", runevents.ControlRunning, "a"))
	keepControl(t, b)()
	require.Equal(t, map[string]string{"session.s": "running/a"}, states(t, b))
	decide(t, b, ended("r", "s", "b"))
	lag(t, b, jetstream.ErrMsgNotFound).Store(1)
	keepControl(t, b)()
	require.Empty(t, states(t, b))
}

// behind is a stream whose leader has one decision more than the copy that is read: the decision
// can be read once the leader has been asked again after the reading began.
type behind struct {
	jetstream.Stream
	reading, done atomic.Bool
	decide        func()
}

func (s *behind) Info(ctx context.Context, options ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	if s.reading.Load() && s.done.CompareAndSwap(false, true) {
		s.decide()
	}
	return s.Stream.Info(ctx, options...)
}

func (s *behind) GetMsg(
	ctx context.Context, sequence uint64, options ...jetstream.GetMsgOpt,
) (*jetstream.RawStreamMsg, error) {
	s.reading.Store(true)
	return s.Stream.GetMsg(ctx, sequence, options...)
}

func (s *behind) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	s.reading.Store(true)
	m, err := s.Stream.GetLastMsgForSubject(ctx, subject)
	if err != nil {
		return nil, err
	}
	later := *m
	later.Sequence += 2
	return &later, nil
}

// A comparison ends where DECISIONS ends, not where a consumer's copy of it does.
func TestCompareReadsToTheEndOfTheStream(t *testing.T) {
	broker := natstest.Run(t)
	b, other := open(t, broker.Conn, natsengine.Keys{}, nil), open(t, broker.Conn, natsengine.Keys{}, nil)
	decide(t, b, control("r", "", runevents.ControlRunning, "a"))
	keepControl(t, b)()
	require.Equal(t, map[string]string{"run.r": "running/a"}, states(t, b))
	require.NoError(t, b.Answering(t.Context(), "DECISIONS", func(s jetstream.Stream) jetstream.Stream {
		return &behind{Stream: s, decide: func() { decide(t, other, ended("r", "", "b")) }}
	}))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	different, err := natscontrol.Check(ctx, b)
	require.NoError(t, err)
	require.Equal(t, []string{"run.r"}, different)
}
