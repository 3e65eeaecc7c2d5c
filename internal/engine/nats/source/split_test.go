package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
)

// listed are messages that are all at hand; then comes err.
type listed struct {
	mu     sync.Mutex
	list   []proof.Message
	err    error
	closed chan struct{}
}

func (l *listed) Next(ctx context.Context) (proof.Message, error) {
	if m, ok := l.Ready(); ok {
		return m, nil
	}
	if l.err != nil {
		return proof.Message{}, l.err
	}
	<-ctx.Done()
	return proof.Message{}, ctx.Err()
}

func (l *listed) Ready() (proof.Message, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) == 0 {
		return proof.Message{}, false
	}
	m := l.list[0]
	l.list = l.list[1:]
	return m, true
}

func (l *listed) Close() { close(l.closed) }

// recordedMessages are n messages, of three partitions in turn.
func recordedMessages(n int) (all []proof.Message) {
	for i := range n {
		all = append(all, proof.Message{Subject: fmt.Sprintf("turn.evaluated.%d.g.s", i%3), Sequence: uint64(i + 1), Data: make([]byte, 100)})
	}
	return all
}

func splitOf(n, ahead int) (*split, *listed, *[]uint64) {
	shared := &listed{list: recordedMessages(n), err: io.EOF, closed: make(chan struct{})}
	var alone []uint64
	s := newSplit(shared, []int{0, 1, 2}, func(_ context.Context, partition int, from uint64) (read.Messages, error) {
		alone = append(alone, from)
		own := &listed{err: io.EOF, closed: make(chan struct{})}
		for _, m := range recordedMessages(n) {
			if m.Sequence >= from && int(m.Sequence-1)%3 == partition {
				own.list = append(own.list, m)
			}
		}
		return own, nil
	})
	s.ahead = ahead
	return s, shared, &alone
}

func readPart(t *testing.T, m read.Messages) (all []uint64) {
	t.Helper()
	for {
		got, err := m.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, got.Sequence)
		if more, ok := m.Ready(); ok {
			all = append(all, more.Sequence)
		}
	}
}

func wantPart(partition, n int) (all []uint64) {
	for i := partition; i < n; i += 3 {
		all = append(all, uint64(i+1))
	}
	return all
}

func TestASplitGivesEachPartitionItsOwn(t *testing.T) {
	const n = 1000
	for name, ahead := range map[string]int{"all wait": 1 << 20, "some read by themselves": 5000, "nobody may wait": 0} {
		t.Run(name, func(t *testing.T) {
			s, shared, alone := splitOf(n, ahead)
			require.Nil(t, s.take(7))
			parts := []read.Messages{s.take(0), s.take(1), s.take(2)}
			for p, part := range parts { // one after the other: the others are far behind
				require.Nil(t, s.take(p), "one reader a partition")
				require.Equal(t, wantPart(p, n), readPart(t, part), p)
				part.Close()
				part.Close()
			}
			require.Nil(t, s.take(0))
			require.Equal(t, ahead == 1<<20, len(*alone) == 0)
			select {
			case <-shared.closed:
			case <-time.After(time.Minute):
				t.Fatal("the shared reading is not closed")
			}
		})
	}
	t.Run("side by side", func(t *testing.T) {
		s, _, _ := splitOf(n, 1<<20)
		var wait sync.WaitGroup
		for p := range 3 {
			wait.Go(func() { require.Equal(t, wantPart(p, n), readPart(t, s.take(p))) })
		}
		wait.Wait()
	})
}

// Whoever gives up while others wait, or while it reads for them, stops alone.
func TestASplitSurvivesOneThatGivesUp(t *testing.T) {
	s, shared, _ := splitOf(0, 1<<20)
	shared.err = nil // waits for more
	ctx, stop := context.WithCancel(context.Background())
	gone := make(chan error, 2)
	for p := range 2 {
		part := s.take(p)
		go func() {
			_, err := part.Next(ctx)
			gone <- err
		}()
	}
	stop()
	require.ErrorIs(t, <-gone, context.Canceled)
	require.ErrorIs(t, <-gone, context.Canceled)
	shared.list, shared.err = recordedMessages(6), io.EOF
	require.Equal(t, wantPart(2, 6), readPart(t, s.take(2)))
}

// A replay that ends early may have opened a reading of which nobody took a part.
func TestASplitOfWhichNobodyTookAPartCanBeEnded(t *testing.T) {
	s, shared, _ := splitOf(10, 1<<20)
	s.end()
	<-shared.closed
	require.Nil(t, s.take(0))
	s.end()

	s, shared, _ = splitOf(10, 1<<20)
	part := s.take(1)
	s.end()
	<-shared.closed
	part.Close()
}
