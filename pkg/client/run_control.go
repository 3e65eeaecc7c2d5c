package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// HaltedError is the cause that ends the context of [Run.UntilHalted].
type HaltedError struct {
	Run     string
	Control runevents.Control
}

// Error describes what halted the run.
func (e *HaltedError) Error() string {
	text := fmt.Sprintf("run %s is %s", e.Run, e.Control.State)
	if e.Control.Why != "" {
		text += ": " + e.Control.Why
	}
	return text
}

// Control returns the control state of the run, as [Subscriber.Control] does.
func (r *Run) Control(ctx context.Context) (runevents.Control, error) {
	return r.desk.subscriber.Control(ctx, Filter{Run: r.id})
}

// WatchControl yields the state of the run and its changes, as
// [Subscriber.WatchControl] does.
func (r *Run) WatchControl(ctx context.Context) iter.Seq2[runevents.Control, error] {
	return r.desk.subscriber.WatchControl(ctx, Filter{Run: r.id})
}

// AwaitRunning waits until the run may continue: after a pause or a halt, until a person
// has resumed it (RW-34) or answered the open question (PL-33). A run that ended without
// being stopped may be started again. It returns an error if ctx ends first.
func (r *Run) AwaitRunning(ctx context.Context) error {
	c, err := r.await(ctx, (*watched).mayBegin)
	if err != nil {
		return fmt.Errorf("wait for run %s, which is %s: %w", r.id, c.State, err)
	}
	return nil
}

// UntilHalted returns a context that ends when the run is halted or paused, even between
// events, so that an agent's process can be stopped with it; its cause is then a
// [HaltedError]. A draining run continues: the next verdict carries its state. Call stop
// once the context is no longer needed.
func (r *Run) UntilHalted(ctx context.Context) (halted context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		c, err := r.await(ctx, func(w *watched) bool { return control.Stops(w.strictest().State, control.Step) })
		if err == nil {
			cancel(&HaltedError{Run: r.id, Control: c})
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// await waits for a state and rides out failures of the broker.
func (r *Run) await(ctx context.Context, wanted func(*watched) bool) (runevents.Control, error) {
	last := runevents.Control{State: runevents.ControlUnknown}
	var trouble error
	for {
		for w, err := range r.desk.subscriber.watch(ctx, Filter{Run: r.id}) {
			if trouble = err; err != nil {
				break
			}
			if last = w.strictest(); wanted(w) {
				return last, nil
			}
		}
		select {
		case <-ctx.Done():
			return last, errors.Join(context.Cause(ctx), trouble)
		case <-time.After(DefaultBackoffMin):
		}
	}
}
