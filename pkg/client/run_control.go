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

// Error says what halted the run.
func (e *HaltedError) Error() string {
	text := fmt.Sprintf("run %s is %s", e.Run, e.Control.State)
	if e.Control.Why != "" {
		text += ": " + e.Control.Why
	}
	return text
}

// Control says whether the run may go on, as [Subscriber.Control] does.
func (r *Run) Control(ctx context.Context) (runevents.Control, error) {
	return r.desk.subscriber.Control(ctx, Filter{Run: r.id})
}

// WatchControl yields the state of the run and its changes, as
// [Subscriber.WatchControl] does.
func (r *Run) WatchControl(ctx context.Context) iter.Seq2[runevents.Control, error] {
	return r.desk.subscriber.WatchControl(ctx, Filter{Run: r.id})
}

// AwaitRunning waits until the run may go on: after a pause or a halt that is
// until a person resumed it (RW-34) or answered what it asks (PL-33). A run that
// ended unhindered may be begun again. The error says that ctx ended before.
func (r *Run) AwaitRunning(ctx context.Context) error {
	c, err := r.await(ctx, (*watched).mayBegin)
	if err != nil {
		return fmt.Errorf("wait for run %s, which is %s: %w", r.id, c.State, err)
	}
	return nil
}

// UntilHalted is a context that ends when the run is halted or paused, between
// events too, so that an agent's process can be stopped with it; its cause is a
// [HaltedError] then. A run that drains goes on: its state follows in the next
// verdict. Call stop when it is not needed any more.
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

// await waits for a state, through failures of the broker.
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
