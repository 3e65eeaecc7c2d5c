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
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
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
	// Save stores a snapshot; it returns false for one that is too large to store.
	Save(ctx context.Context, snapshot Snapshot) (stored bool, err error)
}

// KernelOptions tune a kernel.
type KernelOptions struct {
	Memory        *Memory       // for states, as the machine estimates them; nil: no limit
	SnapshotFirst int           // inputs before a group's first snapshot, then doubling
	SnapshotEvery int           // up to this many inputs
	StepBudget    time.Duration // time of one Step; 0: no limit, and steps run in the caller's goroutine
	// Evicted is called when a state leaves memory for lack of room, Rebuilt
	// when one was rebuilt from a snapshot and so many inputs. Either may be nil.
	Evicted func(bytes int)
	Rebuilt func(inputs int, took time.Duration)
}

// Kernel folds records into the states of their groups. It is used by one
// goroutine.
type Kernel[S any] struct {
	machine  step.Machine[S]
	beyond   step.Options[S] // of the machine
	identity step.Identity
	history  History
	options  KernelOptions
	states   *recent[*held[S]]
	packed   *recent[*packed]
	unsaved  *unsaved
	through  uint64 // sequence of the last record
	// tracked says that unsaved lists every group with inputs after this sequence
	// that no snapshot covers.
	tracked *uint64
}

// NewKernel returns a kernel without states; each is rebuilt from history when
// its group's next record is folded.
func NewKernel[S any](machine step.Machine[S], id step.Identity, history History, o KernelOptions) *Kernel[S] {
	k := &Kernel[S]{machine: machine, beyond: machine.Options(), identity: id, history: history, options: o, unsaved: newUnsaved()}
	states, packs := o.Memory.budgets()
	k.states, k.packed = newRecent[*held[S]](states), newRecent[*packed](packs)
	return k
}

// Close gives the kernel's memory back to what it shares.
func (k *Kernel[S]) Close() {
	k.states.close()
	k.packed.close()
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
func (k *Kernel[S]) Fold(
	ctx context.Context, record Record, accept func([]events.Event) (fault string),
) (Folded, error) {
	if accept == nil {
		accept = func([]events.Event) string { return "" }
	}
	if reason := cmp.Or(record.Fault, record.Skip); reason != "" {
		return k.poison(ctx, record, reason, accept)
	}
	k.through = record.Position.Sequence
	held, err := k.before(ctx, record)
	if lost := (*lostError)(nil); errors.As(err, &lost) {
		return k.poison(ctx, record, lost.Error(), accept)
	}
	if err != nil {
		return Folded{}, err
	}
	next, derived, fault := k.step(held.state, record.Input)
	if fault == "" {
		fault = accept(derived)
	}
	if fault != "" {
		k.states.remove(record.Group) // the failed step may have changed it
		return k.poison(ctx, record, fault, accept)
	}
	held.advance(next, record.Position.Sequence)
	held.purged = purges(record.Input.Event)
	held.size = k.size(next)
	k.states.put(record.Group, held)
	k.unsaved.note(record.Group, Span{record.Position.Sequence, record.Position.Sequence})
	return Folded{Events: derived}, nil
}

// Keep saves a group's snapshot if it is due, then evicts the least recently
// used states that no longer fit, saving those with unsaved inputs.
func (k *Kernel[S]) Keep(ctx context.Context, group string) error {
	if held := k.states.get(group); held != nil && (held.purged || held.due(k.options)) {
		if err := k.save(ctx, held); err != nil {
			return err
		}
	}
	return k.makeRoom(ctx)
}

// makeRoom packs the least recently used states until the rest fits, and saves
// and evicts the packed ones that do not fit either.
func (k *Kernel[S]) makeRoom(ctx context.Context) error {
	for held, over := k.states.overflow(); over; held, over = k.states.overflow() {
		snapshot, err := k.snapshot(held)
		if err != nil {
			return err
		}
		k.states.remove(held.group)
		k.packed.put(held.group, &packed{snapshot, held.unsaved})
	}
	for old, over := k.packed.overflow(); over; old, over = k.packed.overflow() {
		if err := k.store(ctx, old); err != nil {
			return err
		}
		k.packed.remove(old.Group)
		if k.options.Evicted != nil {
			k.options.Evicted(old.weight())
		}
	}
	return nil
}

// Release saves a group's state and removes it from memory.
func (k *Kernel[S]) Release(ctx context.Context, group string) error {
	held := k.states.get(group)
	if held == nil {
		return nil
	}
	if held.unsaved > 0 {
		if err := k.save(ctx, held); err != nil {
			return err
		}
	}
	k.states.remove(group)
	return nil
}

// Holds reports whether a group's state is in memory.
func (k *Kernel[S]) Holds(group string) bool { return k.states.has(group) }

// SaveIdle saves the states with inputs that have been unsaved since before a
// time, also those that are not in memory.
func (k *Kernel[S]) SaveIdle(ctx context.Context, before time.Time) error {
	for _, group := range k.unsaved.before(before) {
		if old := k.packed.get(group); old != nil {
			if err := k.store(ctx, old); err != nil {
				return err
			}
			continue
		}
		held, err := k.state(ctx, group, k.through)
		if lost := (*lostError)(nil); errors.As(err, &lost) {
			k.unsaved.saved(group)
			continue
		}
		if err != nil {
			return err
		}
		if held.unsaved > 0 {
			if err := k.save(ctx, held); err != nil {
				return err
			}
		}
		if err := k.makeRoom(ctx); err != nil {
			return err
		}
	}
	return nil
}

// save stores the snapshot of a state.
func (k *Kernel[S]) save(ctx context.Context, held *held[S]) error {
	snapshot, err := k.snapshot(held)
	if err != nil {
		return err
	}
	stored, err := k.history.Save(ctx, snapshot)
	if err != nil {
		return err
	}
	held.unsaved, held.purged = 0, false // one that is too large is tried again when the next is due
	if stored {
		k.unsaved.saved(held.group)
	}
	return nil
}

// store stores the snapshot of a packed state.
func (k *Kernel[S]) store(ctx context.Context, p *packed) error {
	if p.unsaved == 0 {
		return nil
	}
	stored, err := k.history.Save(ctx, p.Snapshot)
	if err != nil {
		return err
	}
	p.unsaved = 0
	if stored {
		k.unsaved.saved(p.Group)
	}
	return nil
}

func (k *Kernel[S]) snapshot(held *held[S]) (Snapshot, error) {
	data, err := k.machine.Encode(held.state)
	if err != nil {
		return Snapshot{}, fmt.Errorf("encode the state of %s: %w", held.group, err)
	}
	return Snapshot{
		Group: held.group, Version: k.machine.Version(), Sequence: held.sequence,
		Folded: held.count, Data: compress(data),
	}, nil
}

// size returns what a state counts toward the limit, 0 if there is none.
func (k *Kernel[S]) size(state S) int {
	if k.options.Memory == nil {
		return 0
	}
	return k.machine.Size(state)
}

// purges reports whether an event erases its group (AU-40). Only an operator can publish one:
// on the subject of anybody else its type does not fit.
func purges(ev events.Event) bool { return ev.Type == runevents.TypeContentPurged }

// before returns the state of a group before a record. A purge begins with a new state, and
// what the kernel held of the group is dropped.
func (k *Kernel[S]) before(ctx context.Context, record Record) (*held[S], error) {
	if !purges(record.Input.Event) {
		return k.state(ctx, record.Group, record.Position.Sequence-1)
	}
	k.states.remove(record.Group)
	k.packed.remove(record.Group)
	sequence := record.Position.Sequence - 1
	return &held[S]{group: record.Group, state: k.machine.New(record.Group), sequence: sequence, base: sequence}, nil
}
