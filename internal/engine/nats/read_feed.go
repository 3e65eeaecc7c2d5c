package nats

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	feedMessages = 256         // most messages of a pull request
	feedTurns    = 64          // the same for INPUT, where one can have 4 MiB (EV-3)
	feedAhead    = 64          // messages buffered, so that ready sees what is at hand
	feedIdle     = time.Minute // after which the broker removes the consumer of a process that died
)

// feed reads the messages of some subjects in stream order, from a sequence on,
// through an ordered consumer: no acknowledgements, so no redelivery and no
// reordering.
type feed struct {
	out    chan message
	failed chan error // holds at most one
	stop   context.CancelFunc
	done   chan struct{}
}

func openFeed(ctx context.Context, js jetstream.JetStream, stream events.Stream, filters []string, from uint64) (*feed, error) {
	iterator, err := openMessages(ctx, js, stream, filters, from)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	f := &feed{out: make(chan message, feedAhead), failed: make(chan error, 1), stop: stop, done: make(chan struct{})}
	go f.pump(ctx, iterator)
	return f, nil
}

// openMessages starts an ordered consumer.
func openMessages(ctx context.Context, js jetstream.JetStream, stream events.Stream, filters []string, from uint64) (jetstream.MessagesContext, error) {
	consumer, err := js.OrderedConsumer(ctx, string(stream), jetstream.OrderedConsumerConfig{
		FilterSubjects: filters, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1),
		InactiveThreshold: feedIdle,
	})
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", stream, err)
	}
	most := feedMessages
	if stream == events.StreamInput {
		most = feedTurns
	}
	iterator, err := consumer.Messages(jetstream.PullMaxMessages(most))
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", stream, err)
	}
	return iterator, nil
}

func (f *feed) pump(ctx context.Context, iterator jetstream.MessagesContext) {
	defer close(f.done)
	defer iterator.Stop()
	for {
		next, err := iterator.Next(jetstream.NextContext(ctx))
		if err == nil {
			var m message
			if m, err = received(next); err == nil {
				select {
				case f.out <- m:
				case <-ctx.Done():
					return
				}
			}
		}
		if err != nil {
			f.failed <- err
			return
		}
	}
}

func received(next jetstream.Msg) (message, error) {
	meta, err := next.Metadata()
	if err != nil {
		return message{}, fmt.Errorf("read a message's metadata: %w", err)
	}
	return message{
		Subject: next.Subject(), Header: next.Headers(), Data: next.Data(),
		Sequence: meta.Sequence.Stream, Time: meta.Timestamp.UTC(), Pending: meta.NumPending,
	}, nil
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
