package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// attempt is one try at a partition. Everything it holds is discarded with it.
type attempt[S any] struct {
	*Runner[S]
	partition int
	log       Log
	kernel    *Kernel[S]
	batch     pending
	committed bool                 // at least one batch
	derived   func([]events.Event) // of the observer; nil: it does not listen
	source    SourceOptions
	marked    unsavedMark
	saved     time.Time // when unsaved states were last looked at
}

// attempt folds a partition from its checkpoint until something fails.
func (r *Runner[S]) attempt(ctx context.Context, partition int) (committed bool, err error) {
	log, err := r.Sink.Open(ctx, partition)
	if err != nil {
		return false, fmt.Errorf("open partition %d: %w", partition, err)
	}
	reading, err := r.Source.Read(ctx, partition, log.Position())
	if err != nil {
		return false, fmt.Errorf("read partition %d: %w", partition, err)
	}
	defer reading.Close()
	a := &attempt[S]{Runner: r, partition: partition, log: log, saved: time.Now()}
	a.source = r.Source.Options()
	options := r.kernelOptions(partition)
	options.Rebuilt = func(inputs int, took time.Duration) {
		a.batch.waited += took
		r.Observer.Rebuilt(partition, inputs, took)
	}
	a.kernel = NewKernel(r.Machine, r.Identity, a, options)
	defer a.kernel.Close()
	a.derived = r.Observer.Listener()
	a.kernel.through = log.Position().Sequence
	a.batch.reset(log.Position())
	if err := a.restore(ctx); err != nil {
		return false, err
	}
	if r.Begin != nil {
		select {
		case <-r.Begin:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	r.Observer.Started(partition, log.Position())
	err = a.loop(ctx, reading)
	return a.committed, err
}

// loop waits for an input, folds it with the others that have arrived, and commits.
func (a *attempt[S]) loop(ctx context.Context, reading Reading) error {
	for {
		record, err := a.next(ctx, reading)
		if errors.Is(err, io.EOF) {
			return errors.Join(a.commit(ctx), io.EOF)
		}
		if ctx.Err() != nil { // nothing is half done
			return errors.Join(err, a.leave(ctx))
		}
		if err != nil {
			return err
		}
		for more := true; more; {
			if err := a.fold(ctx, record); err != nil {
				return err
			}
			if a.full() {
				break
			}
			if record, more, err = reading.Ready(); err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("read partition %d: %w", a.partition, err)
			}
		}
		if err := a.commit(ctx); err != nil {
			return err
		}
		if time.Since(a.saved) >= a.saveEvery() {
			if err := a.saveIdle(ctx); err != nil {
				return err
			}
		}
	}
}

// next waits for a record. While there is none, it saves states that have been
// unsaved for too long.
func (a *attempt[S]) next(ctx context.Context, reading Reading) (Record, error) {
	for {
		wait, cancel := context.WithTimeout(ctx, a.saveEvery())
		record, err := reading.Next(wait)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return record, err
		}
		if err := a.saveIdle(ctx); err != nil {
			return Record{}, err
		}
	}
}

// full reports whether the batch must be committed although more may be at hand.
func (a *attempt[S]) full() bool {
	o := a.Options
	return a.batch.inputs >= o.MaxInputs || a.batch.count() >= o.MaxMessages ||
		a.batch.bytes >= o.MaxBytes || time.Since(a.batch.since) >= o.MaxFold
}

// commit writes the batch. A position without output is written too, so that a
// restart does not fold inputs without output again; positions that came without
// an input wait until there are many.
func (a *attempt[S]) commit(ctx context.Context) error {
	if !a.batch.worthCommitting() {
		return nil
	}
	if err := a.cover(ctx); err != nil {
		return err
	}
	// When the runner is stopped, the commit still completes.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Options.CommitTimeout)
	defer cancel()
	stats := a.batch.stats(a.partition)
	began := time.Now()
	stats.Fold = began.Sub(a.batch.since) - a.batch.waited
	err := a.log.Commit(ctx, a.batch.Batch)
	stats.Commit = time.Since(began)
	a.Observer.Committed(stats, err)
	if err != nil {
		return fmt.Errorf("commit partition %d at %d: %w", a.partition, a.batch.Position.Sequence, err)
	}
	a.committed = true
	if a.derived != nil && len(a.batch.derived) > 0 {
		a.derived(a.batch.derived)
	}
	a.batch.reset(a.batch.Position)
	return nil
}

// dirtyFor returns how long a state may stay unsaved: far shorter than the source keeps the
// inputs that it is rebuilt from.
func (a *attempt[S]) dirtyFor() time.Duration {
	if a.source.Groups != nil && a.source.Age > 0 {
		return min(a.Options.DirtyFor, a.source.Age/4)
	}
	return a.Options.DirtyFor
}

// saveEvery returns how often unsaved states are looked at.
func (a *attempt[S]) saveEvery() time.Duration {
	return max(min(a.dirtyFor()/4, unsavedEvery), time.Millisecond)
}

// saveIdle commits snapshots of the states that have been unsaved for too long.
func (a *attempt[S]) saveIdle(ctx context.Context) error {
	a.saved = time.Now()
	if err := a.kernel.SaveIdle(ctx, a.saved.Add(-a.dirtyFor())); err != nil {
		return err
	}
	if err := a.kernel.makeRoom(ctx); err != nil { // others may need it
		return err
	}
	if err := a.mark(ctx); err != nil {
		return err
	}
	return a.refresh(ctx, false)
}

// refresh lets the log commit what is due without input.
func (a *attempt[S]) refresh(ctx context.Context, leaving bool) error {
	refresh := a.log.Options().Refresh
	if refresh == nil {
		return nil
	}
	if err := refresh(ctx, leaving); err != nil {
		return fmt.Errorf("refresh the chain of partition %d: %w", a.partition, err)
	}
	return nil
}

// leave records what is unsaved before the partition is handed over. A state that must not lose
// anything is saved, as the source could lose inputs before the next owner comes.
func (a *attempt[S]) leave(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Options.CommitTimeout)
	defer cancel()
	if a.whole() {
		if err := a.kernel.SaveIdle(ctx, time.Now().Add(time.Hour)); err != nil {
			return err
		}
	}
	if err := a.mark(ctx); err != nil {
		return err
	}
	return a.refresh(ctx, true)
}
