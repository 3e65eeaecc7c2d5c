package read

import (
	"context"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// feedAhead is how many messages are buffered, so that Ready finds what has arrived.
const feedAhead = 64

// Feed reads the messages on some subjects in stream order, ahead of its consumer.
type Feed struct {
	out    chan proof.Message
	failed chan error // holds at most one
	stop   context.CancelFunc
	done   chan struct{}
}

// Follow returns a feed of what a stream holds on filters from a sequence on, and of what is
// stored later.
func Follow(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, filters []string, from uint64,
) (*Feed, error) {
	reading, err := openOrdered(ctx, b, stream, orderedOptions{filters: filters, from: from})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	f := &Feed{
		out: make(chan proof.Message, feedAhead), failed: make(chan error, 1), stop: stop, done: make(chan struct{}),
	}
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

// Next waits for a message. It fails when ctx ends or the stream cannot be read.
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

// Ready returns a message that has arrived, and false if there is none.
func (f *Feed) Ready() (proof.Message, bool) {
	select {
	case m := <-f.out:
		return m, true
	default:
		return proof.Message{}, false
	}
}

// Stop ends the reading and does not wait for its goroutine, as Close does.
func (f *Feed) Stop() { f.stop() }

// Close ends the reading and waits for its goroutine.
func (f *Feed) Close() {
	f.stop()
	<-f.done
}

// Messages are the messages on some subjects of a stream, in order, for one goroutine.
type Messages interface {
	// Next waits for a message.
	Next(ctx context.Context) (proof.Message, error)
	// Ready is next without waiting.
	Ready() (proof.Message, bool)
	// Close ends the reading.
	Close()
}
