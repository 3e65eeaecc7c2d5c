package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// watched holds the states of some keys.
type watched struct {
	control.Projection
	keys []string
}

func (w *watched) strictest() runevents.Control { return w.Of(w.keys...) }

// mayBegin reports whether all of them are running, or have ended without being stopped.
func (w *watched) mayBegin() bool { return w.MayBegin(w.keys...) }

// standing reads the current states.
func (s *Subscriber) standing(ctx context.Context, keys []controlKey) (*watched, error) {
	prover, err := s.prover(ctx)
	if err != nil {
		return nil, err
	}
	w := &watched{}
	for _, k := range keys {
		w.keys = append(w.keys, k.name)
		known, err := s.decided(ctx, prover, k, w)
		if err == nil && !known {
			err = s.kept(ctx, prover, k, w)
		}
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// decided folds the last proven decision about a key; known is false if there is none.
func (s *Subscriber) decided(ctx context.Context, p *prover, k controlKey, w *watched) (known bool, err error) {
	for below := uint64(0); ; {
		m, err := p.last(ctx, k.subject, below)
		if err != nil || m == nil {
			return false, err
		}
		if e, ok := s.accept(m); ok {
			if change, is := w.Decide(e, m.Sequence); is && change.Key == k.name {
				return true, nil
			}
		}
		below = m.Sequence // a run and its session may share the subject
	}
}

// kept reads a key that has no decision in DECISIONS from the bucket.
func (s *Subscriber) kept(ctx context.Context, p *prover, k controlKey, w *watched) error {
	entry, err := s.lastOf(ctx, k)
	if err != nil || entry == nil || entry.Header.Get("KV-Operation") != "" {
		return err
	}
	state, err := p.store.State(ctx)
	if err != nil {
		return err
	}
	w.Keep(k.name, control.Kept(entry.Data, control.ParseOrigin(entry.Header.Get(control.OriginHeader)), state.FirstSeq))
	return nil
}

// lastOf returns the value of a key in the bucket, nil if the key is missing.
func (s *Subscriber) lastOf(ctx context.Context, k controlKey) (*jetstream.RawStreamMsg, error) {
	bucket, err := s.js.Stream(ctx, "KV_"+runevents.ControlBucket)
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s (created by `scaffoldwatch streams init`): %w", runevents.ControlBucket, err)
	}
	entry, err := bucket.GetLastMsgForSubject(ctx, "$KV."+runevents.ControlBucket+"."+k.name)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s from %s: %w", k.name, runevents.ControlBucket, err)
	}
	return entry, nil
}

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
