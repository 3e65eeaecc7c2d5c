package engine_test

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
)

// counted counts the tails that are read, and their records.
type counted struct {
	*memory.Stream
	tails, records atomic.Int64
}

func (c *counted) Tail(
	ctx context.Context, partition int, group string, after, through uint64,
) iter.Seq2[engine.Record, error] {
	c.tails.Add(1)
	return func(yield func(engine.Record, error) bool) {
		for record, err := range c.Stream.Tail(ctx, partition, group, after, through) {
			c.records.Add(1)
			if !yield(record, err) {
				return
			}
		}
	}
}

// A state that is evicted and rebuilt reads no inputs again; after a restart only
// the groups with inputs after their snapshot do.
func TestTailsAreReadOnlyWhereThereIsOne(t *testing.T) {
	m := newPast(1)
	source := &counted{Stream: m.in}
	o := engine.Options{Partitions: 1, MaxInputs: 5, SnapshotFirst: 4, SnapshotEvery: 4, MinPause: 1, MaxPause: 1}
	fold := func(bytes int) {
		o.StateBytes = bytes
		runner := &engine.Runner[*enginetest.State]{Machine: enginetest.Tally{}, Source: source, Sink: m.out, Options: o}
		require.NoError(t, runner.Run(context.Background()))
	}
	const groups = 50
	for i := range 4 * groups { // four of each
		m.in.Append(turn(fmt.Sprintf("s%d", i%groups), fmt.Sprint(i), "x"))
	}
	fold(1)
	require.Zero(t, source.tails.Load(), "everything was evicted again and again")
	m.in.Append(turn("s7", "unsaved", "x"))
	fold(1 << 20)
	for i := range groups {
		m.in.Append(turn(fmt.Sprintf("s%d", i), fmt.Sprintf("after %d", i), "x"))
	}
	source.tails.Store(0)
	fold(1 << 20)
	require.EqualValues(t, 3, source.tails.Load(), "of s7 and of the two that were in memory when it stopped")
	require.EqualValues(t, 3, source.records.Load())
	require.Contains(t, lastLine(t, m), `"turn":5,`)
}

// A version that kept no list leaves tails that are not listed; they are read all
// the same.
func TestTailsOfAnEarlierVersion(t *testing.T) {
	m := newPast(partitions)
	for i := range 20 {
		m.in.Append(turn(fmt.Sprintf("s%d", i%2), fmt.Sprint(i), "x"))
	}
	o := engine.Options{Partitions: partitions, MaxInputs: 5, SnapshotFirst: 8, SnapshotEvery: 8, MinPause: 1, MaxPause: 1}
	old := &engine.Runner[*enginetest.State]{Machine: enginetest.Tally{}, Source: unlisted{m.in}, Sink: m.out, Options: o}
	require.NoError(t, old.Run(context.Background()))
	for i := range 3 {
		m.in.Append(turn("s0", fmt.Sprintf("new %d", i), "x"))
		run(t, m, enginetest.Tally{}, o)
	}
	m.in.Append(turn("s1", "new", "x"))
	run(t, m, enginetest.Tally{}, o)
	require.Equal(t, pureFold(t, m, enginetest.Tally{}, inputs(t, m)), written(t, m))
}

// unlisted is a source that cannot list groups.
type unlisted struct{ engine.Source }

func (unlisted) Options() engine.SourceOptions { return engine.SourceOptions{} }
