package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// History stores what a kernel needs to rebuild a group's state.
type History interface {
	// Snapshot returns the latest snapshot of a group, nil if there is none.
	Snapshot(ctx context.Context, group string) (*Snapshot, error)
	// Skipped returns the inputs of a group that were not folded, by source
	// sequence, each with its reason. The kernel may change the map.
	Skipped(ctx context.Context, group string) (map[uint64]string, error)
	// Tail yields the records of a group with after < sequence ≤ through.
	Tail(ctx context.Context, group string, after, through uint64) iter.Seq2[Record, error]
	// Save stores a snapshot.
	Save(ctx context.Context, snapshot Snapshot) error
}

// KernelOptions tune a kernel.
type KernelOptions struct {
	StateBytes    int           // memory for states, as the machine estimates them; 0: no limit
	SnapshotFirst int           // inputs before a group's first snapshot, then doubling
	SnapshotEvery int           // up to this many inputs
	StepBudget    time.Duration // wall clock of one Step; 0: no limit, and steps run in the caller's goroutine
	// Evicted is called when a state leaves memory for lack of room, Rebuilt
	// when one was rebuilt from a snapshot and so many inputs. Either may be nil.
	Evicted func(bytes int)
	Rebuilt func(inputs int, took time.Duration)
}

// Kernel folds records into the states of their groups. It is used by one
// goroutine.
type Kernel[S any] struct {
	machine  step.Machine[S]
	identity step.Identity
	history  History
	options  KernelOptions
	states   *states[S]
	unsaved  *unsaved
	through  uint64 // sequence of the last record
}

// NewKernel returns a kernel without states; each is rebuilt from history when
// its group's next record is folded.
func NewKernel[S any](machine step.Machine[S], id step.Identity, history History, o KernelOptions) *Kernel[S] {
	return &Kernel[S]{machine: machine, identity: id, history: history, options: o, states: newStates[S](o.StateBytes), unsaved: newUnsaved()}
}

// Folded is the result of one record.
type Folded struct {
	// Events are what the machine derived, or, if Fault is set, what it reports
	// about an input that it could not fold.
	Events []events.Event
	Fault  string // why the record was not folded; empty if it was
}

// Fold folds one record. accept, which may be nil, checks what the machine
// derived; the fault it returns, if any, makes the record poison. A record that
// cannot be folded changes no state. An error is the history's and says that
// the group's state could not be rebuilt.
//
// When the caller has written the events, it calls [Kernel.Keep].
func (k *Kernel[S]) Fold(ctx context.Context, record Record, accept func([]events.Event) (fault string)) (Folded, error) {
	if accept == nil {
		accept = func([]events.Event) string { return "" }
	}
	if reason := cmp.Or(record.Fault, record.Skip); reason != "" {
		return k.poison(record, reason, accept), nil
	}
	k.through = record.Position.Sequence
	held, err := k.state(ctx, record.Group, record.Position.Sequence-1)
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		return k.poison(record, lost.Error(), accept), nil
	}
	if err != nil {
		return Folded{}, err
	}
	next, derived, fault := k.step(held.state, record.Input)
	if fault == "" {
		fault = accept(derived)
	}
	if fault != "" {
		k.states.forget(record.Group) // the failed step may have changed it
		return k.poison(record, fault, accept), nil
	}
	held.folded(next, record.Position.Sequence, k.size(next))
	k.unsaved.note(record.Group, record.Position.Sequence)
	return Folded{Events: derived}, nil
}

// Keep saves a group's snapshot if it is due, then evicts the least recently
// used states that no longer fit, saving those with unsaved inputs.
func (k *Kernel[S]) Keep(ctx context.Context, group string) error {
	if held := k.states.get(group); held != nil && held.due(k.options) {
		if err := k.save(ctx, held); err != nil {
			return err
		}
	}
	return k.makeRoom(ctx)
}

// makeRoom evicts states until the rest fits.
func (k *Kernel[S]) makeRoom(ctx context.Context) error {
	for old := k.states.overflow(); old != nil; old = k.states.overflow() {
		if err := k.evict(ctx, old); err != nil {
			return err
		}
		if k.options.Evicted != nil {
			k.options.Evicted(old.size)
		}
	}
	return nil
}

// Release saves a group's state and removes it from memory.
func (k *Kernel[S]) Release(ctx context.Context, group string) error {
	if held := k.states.get(group); held != nil {
		return k.evict(ctx, held)
	}
	return nil
}

// Holds reports whether a group's state is in memory.
func (k *Kernel[S]) Holds(group string) bool { return k.states.get(group) != nil }

// SaveIdle saves the states with inputs that have been unsaved since before a
// time, also those that are not in memory.
func (k *Kernel[S]) SaveIdle(ctx context.Context, before time.Time) error {
	for _, group := range k.unsaved.before(before) {
		held, err := k.state(ctx, group, k.through)
		if lost := (*lostError)(nil); errors.As(err, &lost) {
			k.unsaved.saved(group)
			continue
		}
		if err != nil {
			return err
		}
		if err := k.save(ctx, held); err != nil {
			return err
		}
		if err := k.makeRoom(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (k *Kernel[S]) evict(ctx context.Context, held *held[S]) error {
	if held.unsaved > 0 {
		if err := k.save(ctx, held); err != nil {
			return err
		}
	}
	k.states.remove(held)
	return nil
}

func (k *Kernel[S]) save(ctx context.Context, held *held[S]) error {
	data, err := k.machine.Encode(held.state)
	if err != nil {
		return fmt.Errorf("encode the state of %s: %w", held.group, err)
	}
	snapshot := Snapshot{
		Group: held.group, Version: k.machine.Version(), Sequence: held.sequence,
		Folded: held.count, Data: compress(data),
	}
	if err := k.history.Save(ctx, snapshot); err != nil {
		return err
	}
	held.saved()
	k.unsaved.saved(held.group)
	return nil
}

// size is what a state counts toward the limit; without a limit nothing is measured.
func (k *Kernel[S]) size(state S) int {
	if k.options.StateBytes == 0 {
		return 0
	}
	return k.machine.Size(state)
}
