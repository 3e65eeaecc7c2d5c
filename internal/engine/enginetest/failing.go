// Package enginetest holds what tests of the engine and of its ports share: a
// sink that fails on request, and a machine whose output depends on its whole past.
package enginetest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
)

// Failure is how a commit goes wrong.
type Failure int

// How a commit can go wrong.
const (
	None   Failure = iota
	Lost           // nothing was written
	Unsure         // it was written, but the answer was lost
)

// Failing is a sink whose commits fail in the ways a broker can show.
type Failing struct {
	engine.Sink
	// OnCommit decides the fate of the n-th commit, from 1.
	OnCommit func(n int) Failure

	commits atomic.Int64
}

// Open implements [engine.Sink].
func (f *Failing) Open(ctx context.Context, partition int) (engine.Log, error) {
	inner, err := f.Sink.Open(ctx, partition)
	if err != nil {
		return nil, err
	}
	return &failingLog{Log: inner, sink: f}, nil
}

type failingLog struct {
	engine.Log
	sink *Failing
}

// Commit implements [engine.Log].
func (l *failingLog) Commit(ctx context.Context, batch engine.Batch) error {
	failure := l.sink.OnCommit(int(l.sink.commits.Add(1)))
	if failure == Lost {
		return errors.New("the commit was lost")
	}
	if err := l.Log.Commit(ctx, batch); err != nil {
		return err
	}
	if failure == Unsure {
		return errors.New("no answer to the commit")
	}
	return nil
}

// Options implements [engine.Log]: it says which groups are lost, and has no refresh.
func (l *failingLog) Options() engine.LogOptions {
	o := l.Log.Options()
	o.Refresh = nil
	if o.Uncovered == nil {
		o.Uncovered = func(context.Context, string, []string) ([]string, error) { return nil, nil }
	}
	return o
}
