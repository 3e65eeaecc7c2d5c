package memory

import (
	"context"
	"fmt"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// snapshotEvery is how many inputs a group keeps beside its last snapshot.
const snapshotEvery = 64

// machineStage drives a kernel one event at a time.
type machineStage[S any] struct {
	name     string
	kernel   *engine.Kernel[S]
	past     *past
	recent   recently
	sequence uint64 // of the last input
}

// NewStage returns a stage that runs a machine. It keeps the state of each group
// in memory until a session of the group is closed, then only its compressed
// snapshot, so that a scan of thousands of files stays small. Encoding them is 6%
// of a scan; their inputs could not be forgotten without it.
func NewStage[S any](machine step.Machine[S], identity step.Identity) Stage {
	return NewBoundedStage(machine, identity, Bounds{})
}

// NewBoundedStage is [NewStage] within bounds. What it derives does not depend on them.
func NewBoundedStage[S any](machine step.Machine[S], identity step.Identity, bounds Bounds) Stage {
	s := &machineStage[S]{name: machine.Stage(), past: &past{groups: map[string]*groupPast{}, saved: bounds.Saved}, recent: recently{limit: bounds.Groups}}
	s.kernel = engine.NewKernel(machine, identity, s.past, engine.KernelOptions{
		Memory: bounds.Memory, SnapshotFirst: snapshotEvery, SnapshotEvery: snapshotEvery,
	})
	return s
}

// Name returns the machine's stage.
func (s *machineStage[S]) Name() string { return s.name }

// Fold folds one event.
func (s *machineStage[S]) Fold(ev events.Event) (out []events.Event, fault string) {
	ctx := context.Background() // nothing here waits
	s.sequence++
	record := engine.Record{Position: engine.Position{Sequence: s.sequence}, Group: ev.Group(), Input: step.Input{Event: ev}}
	folded, err := s.kernel.Fold(ctx, record, nil)
	if err != nil {
		return nil, err.Error()
	}
	if folded.Fault != "" {
		return folded.Events, folded.Fault
	}
	s.past.add(record)
	keep := s.kernel.Keep
	if ev.Type == sessionevents.TypeSessionClosed {
		keep = s.kernel.Release
		s.recent.forget(record.Group)
	} else if silent, over := s.recent.use(record.Group); over {
		if err := s.kernel.Release(ctx, silent); err != nil {
			return folded.Events, err.Error()
		}
	}
	if err := keep(ctx, record.Group); err != nil {
		return folded.Events, err.Error()
	}
	return folded.Events, ""
}

// past is the [engine.History] of a stage: the latest snapshot of each group and the inputs
// folded since. It does not hold inputs that could not be folded.
type past struct {
	groups map[string]*groupPast
	saved  Saved // nil: in memory
}

type groupPast struct {
	snapshot *engine.Snapshot // without its data where that is saved elsewhere
	place    int64            // of the data
	size     int
	tail     []folded
}

// folded is one input with its place among those of the stage.
type folded struct {
	sequence uint64
	input    step.Input
}

func (p *past) add(record engine.Record) {
	group := p.groups[record.Group]
	if group == nil {
		group = &groupPast{}
		p.groups[record.Group] = group
	}
	group.tail = append(group.tail, folded{record.Position.Sequence, record.Input})
}

// Snapshot returns the latest snapshot of a group.
func (p *past) Snapshot(_ context.Context, group string) (*engine.Snapshot, error) {
	known := p.groups[group]
	if known == nil || known.snapshot == nil {
		return nil, nil
	}
	if p.saved == nil {
		return known.snapshot, nil
	}
	data, err := p.saved.Get(known.place, known.size)
	if err != nil {
		return nil, fmt.Errorf("read the saved state of %s: %w", group, err)
	}
	whole := *known.snapshot
	whole.Data = data
	return &whole, nil
}

// Skipped returns nothing: what could not be folded is not in the tail.
func (*past) Skipped(context.Context, string) (map[uint64]string, error) { return nil, nil }

// Tail yields the inputs after the group's snapshot. It fails for earlier ones, which are gone.
func (p *past) Tail(_ context.Context, group string, after, _ uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		known := p.groups[group]
		if known == nil {
			return
		}
		if known.snapshot != nil && after < known.snapshot.Sequence {
			yield(engine.Record{}, fmt.Errorf("the inputs up to %d were dropped when they were saved", known.snapshot.Sequence))
			return
		}
		for _, f := range known.tail {
			if !yield(engine.Record{Position: engine.Position{Sequence: f.sequence}, Group: group, Input: f.input}, nil) {
				return
			}
		}
	}
}

// Save stores a snapshot, which covers every input of its group, and drops these.
func (p *past) Save(_ context.Context, snapshot engine.Snapshot) (bool, error) {
	saved := &groupPast{snapshot: &snapshot}
	if p.saved != nil {
		var err error
		if saved.place, err = p.saved.Put(snapshot.Data); err != nil {
			return false, fmt.Errorf("save the state of %s: %w", snapshot.Group, err)
		}
		saved.size, snapshot.Data = len(snapshot.Data), nil
	}
	p.groups[snapshot.Group] = saved
	return true, nil
}

// Bounds limit what a stage keeps in memory. The zero value limits nothing.
type Bounds struct {
	Memory *engine.Memory // for states; nil: no limit
	// Groups is how many groups may keep their inputs since the last snapshot; the
	// longest silent is saved first. 0: no limit.
	Groups int
	// Saved keeps the data of snapshots; nil keeps them in memory.
	Saved Saved
}

// Saved keeps data outside of memory. It is safe for concurrent use.
type Saved interface {
	Put(data []byte) (place int64, err error)
	Get(place int64, size int) ([]byte, error)
}

// recently is the order in which groups were last used.
type recently struct {
	limit int
	clock uint64
	used  map[string]uint64
}

// use makes a group the most recently used, and returns the least recently used one if there
// are too many.
func (r *recently) use(group string) (silent string, over bool) {
	if r.limit <= 0 {
		return "", false
	}
	if r.used == nil {
		r.used = map[string]uint64{}
	}
	r.clock++
	r.used[group] = r.clock
	if len(r.used) <= r.limit {
		return "", false
	}
	oldest := r.clock
	for name, at := range r.used {
		if at <= oldest { // each is used at a time of its own
			silent, oldest = name, at
		}
	}
	delete(r.used, silent)
	return silent, true
}

func (r *recently) forget(group string) { delete(r.used, group) }
