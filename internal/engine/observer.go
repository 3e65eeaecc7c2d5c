package engine

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Observer hears what the runner does; its methods are called from many
// goroutines. Embed NoObserver to hear only some.
type Observer interface {
	// Committed follows each commit; err is nil when it was written.
	Committed(CommitStats, error)
	// DeadLettered follows each input that was passed over.
	DeadLettered(partition int, reason string)
	// Evicted follows each state that left memory for lack of room.
	Evicted(partition int, bytes int)
	// Rebuilt follows each state made from snapshot and tail.
	Rebuilt(partition, events int, took time.Duration)
	// Started says that a partition reads from a position; Restarting that its
	// attempt ended with err and begins again after a pause.
	Started(partition int, from Position)
	Restarting(partition int, err error)
}

// Listener is an Observer that also hears what a machine says.
type Listener interface {
	Observer
	// Derived follows each commit known to be written, with what its steps emitted
	// and forwarded, in order. The events must not be changed.
	Derived([]events.Event)
}

// CommitStats describes one commit.
type CommitStats struct {
	Partition    int
	Inputs       int
	Messages     int // events and skips
	Snapshots    int
	Bytes        int
	Fold, Commit time.Duration
	// Behind is how many source messages waited when the last input was read.
	Behind uint64
	// Oldest is when the broker recorded the first input of the batch.
	Oldest time.Time
}

// NoObserver hears nothing.
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
