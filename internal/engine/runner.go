package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"golang.org/x/sync/errgroup"
)

// Options tune a runner; a zero value means the default in its comment.
type Options struct {
	Partitions int // of the streams (16); fixed when they are made (EV-4)

	// A batch is committed as soon as nothing more is at hand, or when it has
	// this many inputs (200), messages (900) or bytes (8 MiB), or is this old
	// (20 ms). One input's output is never split: alone it may have more bytes,
	// but more messages than that make it poison.
	MaxInputs   int
	MaxMessages int
	MaxBytes    int
	MaxFold     time.Duration

	StateBytes    int           // memory for states over all partitions (256 MiB)
	SnapshotFirst int           // inputs before a group's first snapshot (8), then doubling
	SnapshotEvery int           // up to this many inputs (256)
	DirtyFor      time.Duration // after which an idle partition saves a state (10 min)

	StepBudget    time.Duration // of work of one Step before its input is poison (10 s); [NoBudget]: none
	CommitTimeout time.Duration // (10 s)
	MinPause      time.Duration // after a failed attempt (20 ms), doubling
	MaxPause      time.Duration // up to this (5 s)
}

// NoBudget is the budget of steps that may take any time. They run without a goroutine of their
// own.
const NoBudget time.Duration = -1

func (o Options) withDefaults() Options {
	set(&o.Partitions, 16)
	set(&o.MaxInputs, 200)
	set(&o.MaxMessages, 900)
	set(&o.MaxBytes, 8<<20)
	set(&o.MaxFold, 20*time.Millisecond)
	set(&o.StateBytes, 256<<20)
	set(&o.SnapshotFirst, 8)
	set(&o.SnapshotEvery, 256)
	set(&o.DirtyFor, 10*time.Minute)
	set(&o.StepBudget, 10*time.Second)
	set(&o.CommitTimeout, 10*time.Second)
	set(&o.MinPause, 20*time.Millisecond)
	set(&o.MaxPause, 5*time.Second)
	return o
}

func set[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (r *Runner[S]) kernelOptions(partition int) KernelOptions {
	o := r.Options
	return KernelOptions{
		Memory: r.memory, SnapshotFirst: o.SnapshotFirst, SnapshotEvery: o.SnapshotEvery, StepBudget: r.budget(),
		Evicted: func(bytes int) { r.Observer.Evicted(partition, bytes) },
	}
}

// Runner runs a machine over the partitions of a source, exactly once. All
// partitions share the machine, each in its own goroutine, so the machine must
// hold no state of its own that is not safe for that.
type Runner[S any] struct {
	Machine  step.Machine[S]
	Identity step.Identity
	Source   Source
	Sink     Sink
	Observer Observer // may be nil
	Options  Options
	// Begin, if it is not nil, holds back the first input of every partition until it is closed;
	// what was there before is read meanwhile.
	Begin <-chan struct{}

	memory *Memory
}

// Run owns every partition until ctx ends or the source has ended; then it returns
// nil. After an error it starts over, unless the error is permanent.
func (r *Runner[S]) Run(ctx context.Context) error {
	run := r.prepared()
	group, ctx := errgroup.WithContext(ctx)
	for partition := range run.Options.Partitions {
		group.Go(func() error { return run.own(ctx, partition) })
	}
	return group.Wait()
}

// Share owns the partitions last received from owned, until ctx ends or the channel
// is closed. A partition that is handed over loses only its cached states:
// correctness rests on the fence alone.
func (r *Runner[S]) Share(ctx context.Context, owned <-chan []int) error {
	run := r.prepared()
	group, ctx := errgroup.WithContext(ctx)
	cancels := map[int]context.CancelFunc{}
	defer func() {
		for _, cancel := range cancels {
			cancel()
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return group.Wait()
		case partitions, open := <-owned:
			if !open {
				for _, cancel := range cancels {
					cancel()
				}
				return group.Wait()
			}
			run.reassign(ctx, group, cancels, partitions)
		}
	}
}

// reassign starts newly owned partitions and stops those no longer owned.
func (r *Runner[S]) reassign(
	ctx context.Context, group *errgroup.Group, cancels map[int]context.CancelFunc, partitions []int,
) {
	keep := map[int]bool{}
	for _, partition := range partitions {
		keep[partition] = true
		if cancels[partition] != nil {
			continue
		}
		own, cancel := context.WithCancel(ctx)
		cancels[partition] = cancel
		group.Go(func() error { return r.own(own, partition) })
	}
	for partition, cancel := range cancels {
		if !keep[partition] {
			cancel()
			delete(cancels, partition)
		}
	}
}

func (r *Runner[S]) prepared() *Runner[S] {
	run := *r
	run.Options = r.Options.withDefaults()
	run.memory = NewMemory(run.Options.StateBytes)
	if run.Observer == nil {
		run.Observer = NoObserver{}
	}
	return &run
}

// own repeats attempts at a partition. The pause grows while they make no
// progress; jitter keeps racing owners from retrying at the same times.
func (r *Runner[S]) own(ctx context.Context, partition int) error {
	pause := r.Options.MinPause
	for {
		committed, err := r.attempt(ctx, partition)
		var permanent *PermanentError
		switch {
		case ctx.Err() != nil || errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &permanent):
			return fmt.Errorf("%s partition %d: %w", r.Machine.Stage(), partition, err)
		}
		r.Observer.Restarting(partition, err)
		if committed {
			pause = r.Options.MinPause
		}
		if !sleep(ctx, pause/2+rand.N(pause)) {
			return nil
		}
		pause = min(2*pause, r.Options.MaxPause)
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// PermanentError ends a runner: starting over cannot help.
type PermanentError struct{ Err error }

// Error returns the text of the cause.
func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *PermanentError) Unwrap() error { return e.Err }
