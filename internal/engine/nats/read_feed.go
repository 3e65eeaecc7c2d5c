package nats

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// feedAhead bounds the messages buffered, so that ready sees what is at hand.
const feedAhead = 64

// feed reads the messages of some subjects in stream order, from a sequence on, ahead of
// whoever uses them.
type feed struct {
	out    chan message
	failed chan error // holds at most one
	stop   context.CancelFunc
	done   chan struct{}
}

func (b *Broker) openFeed(ctx context.Context, stream events.Stream, filters []string, from uint64) (*feed, error) {
	reading, err := b.openOrdered(ctx, stream, orderedOptions{filters: filters, from: from})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	f := &feed{out: make(chan message, feedAhead), failed: make(chan error, 1), stop: stop, done: make(chan struct{})}
	go f.pump(ctx, reading)
	return f, nil
}

func (f *feed) pump(ctx context.Context, reading *ordered) {
	defer close(f.done)
	defer reading.stop()
	for {
		m, err := reading.next(ctx)
		if err != nil {
			f.failed <- err
			return
		}
		select {
		case f.out <- m:
		case <-ctx.Done():
			return
		}
	}
}

func (f *feed) next(ctx context.Context) (message, error) {
	select {
	case m := <-f.out:
		return m, nil
	default:
	}
	select {
	case m := <-f.out:
		return m, nil
	case err := <-f.failed:
		f.failed <- err
		return message{}, err
	case <-ctx.Done():
		return message{}, ctx.Err()
	}
}

// ready is next without waiting.
func (f *feed) ready() (message, bool) {
	select {
	case m := <-f.out:
		return m, true
	default:
		return message{}, false
	}
}

func (f *feed) close() {
	f.stop()
	<-f.done
}
