package memory

import (
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// snapshotEvery is how many inputs a group is kept beside its last snapshot.
const snapshotEvery = 64

// machineStage runs a step.Machine.
type machineStage[S any] struct {
	machine  step.Machine[S]
	identity step.Identity
	groups   map[string]*held[S]
}

// held is one group: its state, and what it takes to make it again after an
// input that failed half way. A group whose sessions are closed keeps the
// snapshot only, so that a scan of thousands of files stays small.
type held[S any] struct {
	state    S
	live     bool
	snapshot []byte // compressed; nil: the group began with since
	since    []step.Input
}

var (
	compressor, _   = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	decompressor, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
)

// NewStage wraps a machine for a Chain.
func NewStage[S any](machine step.Machine[S], identity step.Identity) Stage {
	return &machineStage[S]{machine: machine, identity: identity, groups: map[string]*held[S]{}}
}

// Name is the machine's.
func (s *machineStage[S]) Name() string { return s.machine.Stage() }

// Fold takes one event.
func (s *machineStage[S]) Fold(ev events.Event) (out []events.Event, fault string) {
	group := ev.Group()
	h, err := s.hold(group)
	if err != nil {
		return nil, err.Error()
	}
	in := step.Input{Event: ev}
	emitter := step.NewEmitter(s.machine.Stage(), s.identity, ev)
	err = guard(func() error {
		next, err := s.machine.Step(h.state, in, emitter)
		h.state = next
		return err
	})
	if err != nil {
		delete(s.groups, group)
		s.groups[group] = &held[S]{snapshot: h.snapshot, since: h.since}
		return s.poisoned(in, err), "step fails: " + err.Error()
	}
	h.since = append(h.since, in)
	closing := ev.Type == sessionevents.TypeSessionClosed
	if closing || len(h.since) >= snapshotEvery {
		if err := s.save(h, closing); err != nil {
			return emitter.Events(), err.Error()
		}
	}
	return emitter.Events(), ""
}

// hold finds a group's state or makes it from snapshot and inputs.
func (s *machineStage[S]) hold(group string) (*held[S], error) {
	h := s.groups[group]
	if h == nil {
		h = &held[S]{}
		s.groups[group] = h
	}
	if h.live {
		return h, nil
	}
	h.state = s.machine.New(group)
	if h.snapshot != nil {
		data, err := decompressor.DecodeAll(h.snapshot, nil)
		if err != nil {
			return nil, fmt.Errorf("read the state of %s: %w", group, err)
		}
		if h.state, err = s.machine.Decode(data); err != nil {
			return nil, fmt.Errorf("read the state of %s: %w", group, err)
		}
	}
	for _, in := range h.since {
		next, err := s.machine.Step(h.state, in, step.NewEmitter(s.machine.Stage(), s.identity, in.Event))
		if err != nil {
			return nil, fmt.Errorf("rebuild the state of %s: %w", group, err)
		}
		h.state = next
	}
	h.live = true
	return h, nil
}

func (s *machineStage[S]) save(h *held[S], closing bool) error {
	data, err := s.machine.Encode(h.state)
	if err != nil {
		return fmt.Errorf("keep the state of %s: %w", s.machine.Stage(), err)
	}
	h.snapshot, h.since = compressor.EncodeAll(data, nil), nil
	if closing {
		var none S
		h.state, h.live = none, false
	}
	return nil
}

// poisoned is what the machine says of an input that failed.
func (s *machineStage[S]) poisoned(in step.Input, cause error) []events.Event {
	p, ok := any(s.machine).(poisoner)
	if !ok {
		return nil
	}
	emitter := step.NewEmitter(s.machine.Stage(), s.identity, in.Event)
	if guard(func() error { p.Poisoned(in, "step fails: "+cause.Error(), emitter); return nil }) != nil {
		return nil
	}
	return emitter.Events()
}
