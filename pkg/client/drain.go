package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// drainer sends what is spooled, one drain at a time.
type drainer struct {
	running chan struct{} // holds one token
	kick    chan struct{} // something was spooled
}

func newDrainer() drainer {
	d := drainer{running: make(chan struct{}, 1), kick: make(chan struct{}, 1)}
	d.running <- struct{}{}
	d.wake()
	return d
}

func (d drainer) wake() {
	select {
	case d.kick <- struct{}{}:
	default:
	}
}

// sendOrSpool sends an event at once. If earlier events are still on disk or JetStream
// cannot be reached, it appends the event to the spool instead.
func (p *Publisher) sendOrSpool(ctx context.Context, e events.Event) (Receipt, error) {
	cause := errors.New("earlier events are still in the spool")
	first, err := p.spool.empty()
	if err != nil {
		return Receipt{ID: e.ID}, err
	}
	if first {
		receipt, err := p.sendOnce(ctx, e)
		if err == nil || permanent(err) && !p.conn.IsClosed() {
			return receipt, err
		}
		cause = err
	}
	err = p.spool.add(e)
	p.drain.wake()
	if err == nil {
		return Receipt{ID: e.ID, Spooled: true}, nil
	}
	return Receipt{ID: e.ID}, &ShedError{Shed: p.shed(e, err.Error(), ""), Err: cause}
}

// drainInBackground sends the spooled events, now and whenever one is added, with growing
// pauses while sending fails.
func (p *Publisher) drainInBackground(ctx context.Context) {
	pause := p.options.BackoffMin
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.drain.kick:
		}
		for p.drainOnce(ctx) != nil {
			p.counts.retries.Add(1)
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, p.options.BackoffMax)
		}
		pause = p.options.BackoffMin
	}
}

// Flush waits until the spool is empty or ctx ends.
func (p *Publisher) Flush(ctx context.Context) error {
	if p.spool == nil {
		return nil
	}
	pause := p.options.BackoffMin
	for {
		err := p.drainOnce(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("flush the spool: %w (last attempt: %w)", context.Cause(ctx), err)
		case <-p.stopped:
			return fmt.Errorf("flush the spool: %w", ErrClosed)
		case <-time.After(pause):
		}
		pause = min(2*pause, p.options.BackoffMax)
	}
}

// drainOnce sends the spool in order until it is empty or an attempt fails.
func (p *Publisher) drainOnce(ctx context.Context) error {
	select {
	case <-p.drain.running:
		defer func() { p.drain.running <- struct{}{} }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	for {
		waiting, err := p.spool.list()
		if err != nil || len(waiting) == 0 {
			return err
		}
		for _, name := range waiting {
			if err := p.sendSpooled(ctx, name); err != nil {
				return err
			}
		}
	}
}

// sendSpooled sends one file. A file that can never be sent is set aside and reported, so
// that it does not hold up the rest.
func (p *Publisher) sendSpooled(ctx context.Context, name string) error {
	e, err := p.spool.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = p.sendOnce(ctx, e)
	}
	switch {
	case err == nil:
		return p.spool.remove(name)
	case permanent(err) && !p.conn.IsClosed():
		if moved := p.spool.reject(name); moved != nil {
			return moved
		}
		p.shed(e, err.Error(), filepath.Join(rejectedDir, name))
		return nil
	default:
		return err
	}
}
