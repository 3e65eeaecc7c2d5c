package main

import (
	"sync/atomic"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
)

// foldedInputs counts the inputs of a replay.
type foldedInputs struct {
	engine.NoObserver
	count atomic.Int64
}

// Committed implements [engine.Observer].
func (f *foldedInputs) Committed(s engine.CommitStats, _ error) { f.count.Add(int64(s.Inputs)) }
