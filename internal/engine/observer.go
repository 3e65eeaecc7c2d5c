package engine

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Observer is notified of what the runner does. Its methods are called from many
// goroutines. Embed NoObserver to implement only some.
type Observer interface {
	// Committed follows each commit; err is nil when it was written.
	Committed(CommitStats, error)
	// DeadLettered follows each skipped input.
	DeadLettered(partition int, reason string)
	// Evicted follows each state that left memory for lack of room.
	Evicted(partition int, bytes int)
	// Rebuilt follows each state rebuilt from a snapshot and so many inputs.
	Rebuilt(partition, inputs int, took time.Duration)
	// Started follows each start of an attempt at a partition, with the position
	// from which it reads; Restarting follows each end of one, with its error.
	Started(partition int, from Position)
	Restarting(partition int, err error)
	// Listener returns what is called after each commit known to be written, with the
	// events that its steps emitted and forwarded, in order. They must not be changed.
	// Nil: they are not collected.
	Listener() func([]events.Event)
}

// CommitStats describes one commit.
type CommitStats struct {
	Partition int
	Inputs    int
	Messages  int // events and skips
	Snapshots int
	Bytes     int
	// Fold is without the time in which states were rebuilt and dead letters were stored: a fold
	// that takes longer than a step may is none of an input's fault.
	Fold, Commit time.Duration
	// Oldest is when the broker recorded the first input of the batch.
	Oldest time.Time
}

// NoObserver ignores everything.
type NoObserver struct{}

// Committed does nothing.
func (NoObserver) Committed(CommitStats, error) {}

// DeadLettered does nothing.
func (NoObserver) DeadLettered(int, string) {}

// Evicted does nothing.
func (NoObserver) Evicted(int, int) {}

// Rebuilt does nothing.
func (NoObserver) Rebuilt(int, int, time.Duration) {}

// Started does nothing.
func (NoObserver) Started(int, Position) {}

// Restarting does nothing.
func (NoObserver) Restarting(int, error) {}

// Listener returns nil.
func (NoObserver) Listener() func([]events.Event) { return nil }
