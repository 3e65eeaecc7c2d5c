package engine_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
)

// opening counts the partitions that are opened.
type opening struct {
	engine.Sink
	opened chan int
}

func (o opening) Open(ctx context.Context, partition int) (engine.Log, error) {
	o.opened <- partition
	return o.Sink.Open(ctx, partition)
}

// started notes which partitions are under way.
type started struct {
	engine.NoObserver
	n *atomic.Int64
}

func (s started) Started(int, engine.Position) { s.n.Add(1) }

// folded is how far the partitions have been folded, in all.
func (p *past) folded() (all uint64) {
	for partition := range partitions {
		all += p.out.Position(partition).Sequence
	}
	return all
}

// A runner that may not begin yet opens its partitions and folds nothing.
func TestNothingIsFoldedBeforeItMayBegin(t *testing.T) {
	p := livePast(partitions)
	for _, session := range []string{"a", "b", "c", "d", "e", "f"} {
		p.in.Append(turn(session, session+"1", "x"))
	}
	p.in.End()
	begin, opened, n := make(chan struct{}), make(chan int, partitions), &atomic.Int64{}
	runner := &engine.Runner[*enginetest.State]{
		Machine: enginetest.Tally{}, Identity: identity, Source: p.in, Sink: opening{p.out, opened},
		Observer: started{n: n}, Options: brisk, Begin: begin,
	}
	done := make(chan error, 1)
	go func() { done <- runner.Run(t.Context()) }()
	for range partitions {
		<-opened
	}
	require.Zero(t, n.Load())
	require.Zero(t, p.folded())
	close(begin)
	require.NoError(t, <-done)
	require.EqualValues(t, partitions, n.Load())
	require.NotZero(t, p.folded())
}

// One that is stopped before it may begin ends.
func TestARunnerIsStoppedBeforeItMayBegin(t *testing.T) {
	p := livePast(partitions)
	ctx, stop := context.WithCancel(t.Context())
	opened := make(chan int, partitions)
	runner := &engine.Runner[*enginetest.State]{
		Machine: enginetest.Tally{}, Identity: identity, Source: p.in, Sink: opening{p.out, opened}, Options: brisk,
		Begin: make(chan struct{}),
	}
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx) }()
	for range partitions {
		<-opened
	}
	stop()
	require.NoError(t, <-done)
}
