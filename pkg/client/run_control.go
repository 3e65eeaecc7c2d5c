package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// HaltedError is the cause that ends the context of [Run.UntilHalted].
type HaltedError struct {
	Run     string
	Control events.Control
}

// Error says what halted the run.
func (e *HaltedError) Error() string {
	text := fmt.Sprintf("run %s is %s", e.Run, e.Control.State)
	if e.Control.Why != "" {
		text += ": " + e.Control.Why
	}
	return text
}

// Control says whether the run may go on, as [Subscriber.Control] does: right
// after a verdict it may still give the state before.
func (r *Run) Control(ctx context.Context) (events.Control, error) {
	return r.desk.subscriber.Control(ctx, Filter{Run: r.id})
}

// WatchControl yields the state of the run and its changes, as
// [Subscriber.WatchControl] does.
func (r *Run) WatchControl(ctx context.Context) iter.Seq2[events.Control, error] {
	return r.desk.subscriber.WatchControl(ctx, Filter{Run: r.id})
}

// AwaitRunning waits until the run may go on: after a pause or a halt that is
// until a person resumed it (RW-34). The error says that ctx ended before.
func (r *Run) AwaitRunning(ctx context.Context) error {
	c, err := r.await(ctx, func(c events.Control) bool { return c.State == events.ControlRunning })
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
		c, err := r.await(ctx, func(c events.Control) bool {
			return c.State == events.ControlHalted || c.State == events.ControlPaused
		})
		if err == nil {
			cancel(&HaltedError{Run: r.id, Control: c})
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// await waits for a state, through failures of the broker. It reads
// control.changed itself: the bucket is written after it, so that right after a
// verdict it may still hold the state before.
func (r *Run) await(ctx context.Context, wanted func(events.Control) bool) (events.Control, error) {
	last := events.Control{State: events.ControlUnknown}
	subjects := []string{events.RunSubjectFilter(events.TypeControlChanged, r.id)}
	var trouble error
	for {
		for m, err := range r.desk.subscriber.follow(ctx, Filter{Run: r.id}, subjects, Start{Latest: true}) {
			if trouble = err; err != nil {
				break
			}
			changed, ok := m.event.Data.(*events.ControlChanged)
			if !ok {
				continue
			}
			if last = changed.Control(); wanted(last) {
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
