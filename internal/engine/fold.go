package engine

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

// fold takes one record into the batch. An error is one of the surroundings; an
// input that is itself at fault is passed over.
func (a *attempt[S]) fold(ctx context.Context, record Record) error {
	a.batch.begin()
	if record.Idle {
		a.batch.Position = record.Position
		a.batch.idle++
		return nil
	}
	if reason := cmp.Or(record.Fault, record.Skip); reason != "" {
		return a.pass(ctx, record, reason)
	}
	held, err := a.state(ctx, record.Group, record.Position.Sequence-1)
	if err != nil {
		return err
	}
	next, out, fault := a.step(held.state, record.Input)
	var messages []Message
	if fault == "" {
		messages, fault = a.encode(record.Group, out)
	}
	if fault != "" {
		return a.pass(ctx, record, fault)
	}
	if err := a.room(ctx, messages); err != nil {
		return err
	}
	a.batch.add(record, messages)
	if a.listener != nil {
		a.batch.derived = append(a.batch.derived, out.Events()...)
	}
	held.folded(next, record.Position.Sequence, a.Machine.Size(next))
	return a.keep(ctx, held)
}

// room commits first when the messages do not fit: one input's output stays
// together, and a huge turn commits alone.
func (a *attempt[S]) room(ctx context.Context, messages []Message) error {
	if a.batch.fits(messages, a.Options) {
		return nil
	}
	if err := a.commit(ctx); err != nil {
		return err
	}
	a.batch.begin()
	return nil
}

// keep saves the state if it owes a snapshot and evicts what no longer fits.
func (a *attempt[S]) keep(ctx context.Context, held *held[S]) error {
	if held.owes(a.Options) {
		if err := a.snapshot(ctx, held); err != nil {
			return err
		}
	}
	for old := a.states.overflow(); old != nil; old = a.states.overflow() {
		if old.unsaved > 0 {
			if err := a.snapshot(ctx, old); err != nil {
				return err
			}
		}
		a.states.remove(old)
		a.Observer.Evicted(a.partition, old.size)
	}
	return nil
}

// snapshot puts a state's stored form into the batch.
func (a *attempt[S]) snapshot(ctx context.Context, held *held[S]) error {
	if a.batch.count() >= a.Options.MaxMessages {
		if err := a.commit(ctx); err != nil {
			return err
		}
		a.batch.begin()
	}
	data, err := a.Machine.Encode(held.state)
	if err != nil {
		return fmt.Errorf("encode the state of %s: %w", held.group, err)
	}
	a.batch.put(Snapshot{
		Group: held.group, Version: a.Machine.Version(), Sequence: held.sequence,
		Folded: held.count, Data: compress(data),
	})
	held.saved()
	return nil
}

// encode turns what a step emitted into messages; a fault makes its input poison.
func (a *attempt[S]) encode(group string, out *step.Emitter) (messages []Message, fault string) {
	emitted := out.Events()
	if len(emitted) > a.Options.MaxMessages-2 {
		return nil, fmt.Sprintf("derives %d events, more than the %d of a commit", len(emitted), a.Options.MaxMessages-2)
	}
	for _, ev := range emitted {
		message, err := a.log.Encode(group, ev)
		if err != nil {
			return nil, fmt.Sprintf("derives an event that cannot be written: %v", err)
		}
		messages = append(messages, message)
	}
	return messages, ""
}

type stepped[S any] struct {
	state S
	out   *step.Emitter
	fault string
}

// step runs the machine's Step with its budget of time. A panic, an error or a
// step over its budget is the input's fault; the state must not be used then. A
// step that never returns keeps its goroutine, which is the price of going on.
func (a *attempt[S]) step(state S, in step.Input) (S, *step.Emitter, string) {
	done := make(chan stepped[S], 1)
	go func() { done <- guarded(a.Machine, a.Identity, state, in) }()
	budget := time.NewTimer(a.Options.StepBudget)
	defer budget.Stop()
	select {
	case result := <-done:
		return result.state, result.out, result.fault
	case <-budget.C:
		var none S
		return none, nil, fmt.Sprintf("step exceeds its budget of %s", a.Options.StepBudget)
	}
}

func guarded[S any](machine step.Machine[S], id step.Identity, state S, in step.Input) (result stepped[S]) {
	defer func() {
		if cause := recover(); cause != nil {
			result = stepped[S]{fault: fmt.Sprintf("step panics at %s", panicSite(debug.Stack()))}
		}
	}()
	out := step.NewEmitter(machine.Stage(), id, in.Event)
	next, err := machine.Step(state, in, out)
	if err != nil {
		return stepped[S]{fault: "step fails: " + err.Error()}
	}
	return stepped[S]{state: next, out: out}
}
