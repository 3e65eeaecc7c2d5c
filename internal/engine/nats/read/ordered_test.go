package read

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// scripted is an iterator: each entry is what one call of Next returns, a message's
// sequence, or 0 for none until its context ends. After the last nothing comes.
type scripted struct {
	jetstream.MessagesContext
	calls   []uint64
	stopped bool
}

func (s *scripted) Next(options ...jetstream.NextOpt) (jetstream.Msg, error) {
	sequence := uint64(0)
	if len(s.calls) > 0 {
		sequence, s.calls = s.calls[0], s.calls[1:]
	}
	if sequence == 0 {
		time.Sleep(2 * time.Millisecond) // longer than every pause
		return nil, context.DeadlineExceeded
	}
	return numbered{sequence: sequence}, nil
}

func (s *scripted) Stop() { s.stopped = true }

type numbered struct {
	jetstream.Msg
	sequence uint64
}

func (n numbered) Subject() string      { return "turn.evaluated.0.g.s" }
func (n numbered) Headers() nats.Header { return nil }
func (n numbered) Data() []byte         { return nil }
func (n numbered) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: n.sequence}}, nil
}

// scriptedReading reads first, then, once it was replaced, second.
func scriptedReading(first, second *scripted, last uint64) (*ordered, *[]uint64) {
	opened := &[]uint64{}
	return &ordered{
		iterator: first, pauses: []time.Duration{time.Millisecond},
		open: func(_ context.Context, from uint64) (jetstream.MessagesContext, error) {
			*opened = append(*opened, from)
			return second, nil
		},
		more: func(_ context.Context, from uint64, _ time.Duration) (bool, uint64, error) {
			return from <= last, last, nil
		},
	}, opened
}

func sequences(t *testing.T, o *ordered, n int) (all []uint64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for range n {
		m, err := o.next(ctx)
		require.NoError(t, err)
		all = append(all, m.Sequence)
	}
	return all
}

// The client library requests more messages only when Next is called again.
func TestAnOrderedReadingAsksAgain(t *testing.T) {
	first := &scripted{calls: []uint64{1, 2, 0, 3}}
	o, opened := scriptedReading(first, &scripted{}, 3)
	require.Equal(t, []uint64{1, 2, 3}, sequences(t, o, 3))
	require.Empty(t, *opened)
}

// A consumer that is silent although the stream holds more is replaced by one that goes on after
// the last message.
func TestASilentConsumerIsReplaced(t *testing.T) {
	first, second := &scripted{calls: []uint64{1, 2}}, &scripted{calls: []uint64{3, 4}}
	o, opened := scriptedReading(first, second, 4)
	require.Equal(t, []uint64{1, 2, 3, 4}, sequences(t, o, 4))
	require.Equal(t, []uint64{3}, *opened)
	require.True(t, first.stopped)
}

// A new consumer that delivers nothing is doubted at once, and each that follows it for longer, so
// that a busy broker is not asked for consumers only.
func TestANewConsumerGetsMoreTimeEachTime(t *testing.T) {
	o, opened := scriptedReading(&scripted{}, &scripted{calls: []uint64{0, 0, 0, 1}}, 1)
	o.doubt = time.Millisecond
	require.Equal(t, []uint64{1}, sequences(t, o, 1))
	require.Equal(t, []uint64{1, 1, 1, 1}, *opened)
	require.Zero(t, o.doubt)
	for range 20 {
		o.replace(t.Context())
	}
	require.Equal(t, longestDoubt, o.doubt)
}

// The last messages may be replaced after the reading began: it ends instead of waiting for them.
func TestABoundedReadingEndsWithTheStream(t *testing.T) {
	o, opened := scriptedReading(&scripted{calls: []uint64{1, 2}}, &scripted{}, 2)
	o.ends = true
	require.Equal(t, []uint64{1, 2}, sequences(t, o, 2))
	_, err := o.next(context.Background())
	require.ErrorIs(t, err, errNothingLeft)
	require.Empty(t, *opened)
}

// While messages age out a consumer can say that nothing is pending although the stream holds
// more: an audit that believed it would report the rest as removed.
func TestABoundedReadingDoesNotBelieveThatNothingIsPending(t *testing.T) {
	o, opened := scriptedReading(&scripted{calls: []uint64{1, 2}}, &scripted{calls: []uint64{3}}, 3)
	o.ends = true
	var all []uint64
	require.NoError(t, o.each(t.Context(), func(m proof.Message) (bool, error) {
		require.Zero(t, m.Pending)
		all = append(all, m.Sequence)
		return true, nil
	}))
	require.Equal(t, []uint64{1, 2, 3}, all)
	require.Equal(t, []uint64{3}, *opened)
}

// A live reading waits; it asks the stream about what came since it last did.
func TestALiveReadingWaits(t *testing.T) {
	o, opened := scriptedReading(&scripted{calls: []uint64{1, 0, 0, 0, 0, 2}}, &scripted{}, 1)
	require.Equal(t, []uint64{1, 2}, sequences(t, o, 2))
	require.Empty(t, *opened)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := o.next(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Readings that began at different times look at their streams at the same moments, after a pause
// that is long enough.
func TestReadingsThatWaitLookTogether(t *testing.T) {
	start := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)
	moments := map[time.Time]bool{}
	for begun := time.Duration(0); begun < quietPause; begun += quietPause / 60 {
		pause := together(start.Add(begun))
		require.GreaterOrEqual(t, pause, quietPause/2)
		require.Less(t, pause, 3*quietPause/2)
		moments[start.Add(begun+pause)] = true
	}
	require.Len(t, moments, 2)
}
