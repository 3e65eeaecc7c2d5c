package read

import (
	"context"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// feedAhead bounds the messages buffered, so that ready sees what is at hand.
const feedAhead = 64

// Feed reads the messages of some subjects in stream order, from a sequence on, ahead of
// whoever uses them.
type Feed struct {
	out    chan proof.Message
	failed chan error // holds at most one
	stop   context.CancelFunc
	done   chan struct{}
}

// Follow reads ahead what a stream holds on filters, from a sequence on, and then what comes.
func Follow(ctx context.Context, b *natsengine.Broker, stream events.Stream, filters []string, from uint64) (*Feed, error) {
	reading, err := openOrdered(ctx, b, stream, orderedOptions{filters: filters, from: from})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	f := &Feed{out: make(chan proof.Message, feedAhead), failed: make(chan error, 1), stop: stop, done: make(chan struct{})}
	go f.pump(ctx, reading)
	return f, nil
}

func (f *Feed) pump(ctx context.Context, reading *ordered) {
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

// Next waits for a message.
func (f *Feed) Next(ctx context.Context) (proof.Message, error) {
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
		return proof.Message{}, err
	case <-ctx.Done():
		return proof.Message{}, ctx.Err()
	}
}

// Ready is next without waiting.
func (f *Feed) Ready() (proof.Message, bool) {
	select {
	case m := <-f.out:
		return m, true
	default:
		return proof.Message{}, false
	}
}

// Stop ends the reading without waiting for it.
func (f *Feed) Stop() { f.stop() }

// Close ends the reading and waits for its end.
func (f *Feed) Close() {
	f.stop()
	<-f.done
}

// Messages are those of a stream on some subjects, in order. One goroutine uses them.
type Messages interface {
	// Next waits for a message.
	Next(ctx context.Context) (proof.Message, error)
	// Ready is next without waiting.
	Ready() (proof.Message, bool)
	// Close ends the reading.
	Close()
}
