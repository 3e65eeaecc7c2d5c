package read

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	feedMessages = 256             // most messages of a pull request
	feedTurns    = 64              // the same for INPUT, where one can have 4 MiB (EV-3)
	feedIdle     = 2 * time.Minute // after which the broker removes the consumer of a process that died

	// A reading that waits wakes broker and client for each heartbeat and each request that expires,
	// and `up` waits in some 60 places. Whether a consumer is lost is found out by asking the
	// stream (see ordered), so heartbeats can be as rare as nats.go allows.
	feedHeartbeat = 30 * time.Second
	feedRequest   = 10 * time.Minute
)

// orderedPauses are how long a reading waits for a message before it asks the stream whether
// there is one, growing to the last.
var orderedPauses = []time.Duration{200 * time.Millisecond, 2 * time.Second, quietPause}

// quietPause is the longest pause. All readings of the process end it at the same moments, so
// that those of one stream share a look and the processor wakes once.
const quietPause = 10 * time.Second

// together returns a pause of half to one and a half of quietPause that ends at a multiple of it.
func together(now time.Time) time.Duration {
	next := now.Truncate(quietPause).Add(quietPause).Sub(now)
	if next < quietPause/2 {
		next += quietPause
	}
	return next
}

// errNothingLeft is what next returns at the end of the stream if the reading ends there.
var errNothingLeft = errors.New("the stream holds nothing more on these subjects")

// ordered reads the messages of some subjects in stream order through an ordered consumer: no
// acknowledgements, so no redelivery and no reordering. A consumer can be silent although the
// stream holds more, so ordered does not rely on it:
//
//   - nats.go 1.55 skips the request for more messages while the goroutine that sent the last one
//     has not been scheduled again, and looks at that only when the next message comes or Next is
//     called. On a busy machine no message comes, because none was requested, until heartbeats are
//     missed. So Next is called again after a moment.
//   - a consumer can be on a server whose copy of the stream is behind, or be lost; in a cluster
//     the first request of a new consumer can be. So after some silence the stream itself is asked,
//     and the consumer replaced if there is more.
//   - a consumer can count too few pending messages while others age out. So a reading that ends
//     asks the stream before it does.
type ordered struct {
	iterator jetstream.MessagesContext
	open     func(ctx context.Context, from uint64) (jetstream.MessagesContext, error)
	// more reports whether the stream holds a message from a sequence on, and its last sequence. It
	// may have looked that long ago.
	more   func(ctx context.Context, from uint64, ago time.Duration) (bool, uint64, error)
	pauses []time.Duration
	doubt  time.Duration // how long a consumer may take for its first message; 0: it has come
	ends   bool          // next returns errNothingLeft where the stream holds no more
	after  uint64        // sequence of the last message, or before the first
	looked uint64        // the stream holds nothing up to here
	last   bool          // the consumer said that nothing follows the last message
}

// orderedOptions select what an ordered reading reads.
type orderedOptions struct {
	filters []string // none: the whole stream
	from    uint64
	headers bool // without data
	ends    bool
}

// openOrdered starts an ordered reading.
func openOrdered(ctx context.Context, b *natsengine.Broker, stream events.Stream, o orderedOptions) (*ordered, error) {
	r := &ordered{after: max(o.from, 1) - 1, pauses: orderedPauses, doubt: orderedPauses[0], ends: o.ends}
	r.open = func(ctx context.Context, from uint64) (jetstream.MessagesContext, error) {
		return openMessages(ctx, b.JetStream(), stream, o, from)
	}
	r.more = func(ctx context.Context, from uint64, ago time.Duration) (bool, uint64, error) {
		return holdsMore(ctx, b, stream, o.filters, from, ago)
	}
	var err error
	r.iterator, err = r.open(ctx, r.after+1)
	return r, err
}

// openMessages starts an ordered consumer.
func openMessages(
	ctx context.Context, js jetstream.JetStream, stream events.Stream, o orderedOptions, from uint64,
) (jetstream.MessagesContext, error) {
	consumer, err := js.OrderedConsumer(ctx, string(stream), jetstream.OrderedConsumerConfig{
		FilterSubjects: o.filters, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from,
		InactiveThreshold: feedIdle, HeadersOnly: o.headers,
	})
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", stream, err)
	}
	most := feedMessages
	if stream == events.StreamInput && !o.headers {
		most = feedTurns
	}
	iterator, err := consumer.Messages(jetstream.PullMaxMessages(most),
		jetstream.PullExpiry(feedRequest), jetstream.PullHeartbeat(feedHeartbeat))
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", stream, err)
	}
	return iterator, nil
}

// next waits for a message. A reading that ends with the stream returns errNothingLeft there.
func (o *ordered) next(ctx context.Context) (proof.Message, error) {
	if o.ends && o.last {
		if more, _, err := o.more(ctx, o.after+1, 0); err == nil && !more {
			return proof.Message{}, errNothingLeft
		}
	}
	for try := 0; ; try++ {
		pause := o.pauses[min(try, len(o.pauses)-1)]
		if pause == quietPause {
			pause = together(time.Now())
		}
		m, err := o.wait(ctx, max(pause, o.doubt))
		if err == nil {
			o.after, o.doubt, o.last = m.Sequence, 0, m.Pending == 0
		}
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return m, err
		}
		if try == 0 && o.doubt == 0 {
			continue // calling again is what makes it request more
		}
		ago := pause / 3 // it was quiet for longer
		if o.ends {
			ago = 0
		}
		more, last, err := o.more(ctx, max(o.after, o.looked)+1, ago)
		switch {
		case err != nil: // the broker does not answer either: go on waiting
		case more:
			o.replace(ctx)
			try = -1
		case o.ends:
			return proof.Message{}, errNothingLeft
		default:
			o.looked = max(o.looked, last)
		}
	}
}

// each calls take with what the stream holds now, in order, until take returns false or an
// error.
func (o *ordered) each(ctx context.Context, take func(proof.Message) (bool, error)) error {
	for {
		m, err := o.next(ctx)
		if errors.Is(err, errNothingLeft) {
			return nil
		}
		if err != nil {
			return err
		}
		if more, err := take(m); err != nil || !more {
			return err
		}
	}
}

// wait returns the next message of the present consumer. If the stream is gone, the client
// library tries for ever to create the consumer again and ignores the context: only Stop ends
// that.
func (o *ordered) wait(ctx context.Context, pause time.Duration) (proof.Message, error) {
	defer context.AfterFunc(ctx, o.iterator.Stop)()
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	next, err := o.iterator.Next(jetstream.NextContext(ctx))
	if err != nil {
		return proof.Message{}, err
	}
	return received(next)
}

// longestDoubt bounds how long a new consumer may take for its first message. A busy broker
// needs time, so each one that replaces another before any message came gets twice as long.
const longestDoubt = 8 * time.Second

// replace starts another consumer. If that fails, the present one goes on.
func (o *ordered) replace(ctx context.Context) {
	iterator, err := o.open(ctx, o.after+1)
	if err != nil {
		return
	}
	o.iterator.Stop()
	o.iterator = iterator
	o.doubt = min(max(2*o.doubt, o.pauses[0]), longestDoubt)
}

func (o *ordered) stop() { o.iterator.Stop() }

func received(next jetstream.Msg) (proof.Message, error) {
	meta, err := next.Metadata()
	if err != nil {
		return proof.Message{}, fmt.Errorf("read a message's metadata: %w", err)
	}
	return proof.Message{
		Subject: next.Subject(), Header: next.Headers(), Data: next.Data(),
		Sequence: meta.Sequence.Stream, Time: meta.Timestamp.UTC(), Pending: meta.NumPending,
	}, nil
}

// holdsMore reports whether a stream holds a message on filters from a sequence on, and the
// last sequence of the stream, from a look that is at most ago old.
func holdsMore(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, filters []string, from uint64, ago time.Duration,
) (bool, uint64, error) {
	store, err := b.Store(ctx, stream)
	if err != nil {
		return false, 0, err
	}
	last, err := b.LastSequence(ctx, stream, ago)
	if err != nil || last < from {
		return false, last, err
	}
	if len(filters) == 0 {
		filters = []string{">"}
	}
	for _, filter := range filters {
		m, err := store.Next(ctx, filter, from)
		if err != nil || m != nil {
			return m != nil, last, err
		}
	}
	return false, last, nil
}

// Scan calls found with the subject and sequence of each message that a stream holds on filters
// from a sequence on, until found returns false. The broker sends no data.
func Scan(
	ctx context.Context, b *natsengine.Broker, stream events.Stream,
	filters []string, from uint64, found func(subject string, sequence uint64) bool,
) error {
	more, _, err := holdsMore(ctx, b, stream, filters, from, 0)
	if err != nil || !more {
		return err
	}
	reading, err := openOrdered(ctx, b, stream, orderedOptions{filters: filters, from: from, headers: true, ends: true})
	if err != nil {
		return err
	}
	defer reading.stop()
	err = reading.each(ctx, func(m proof.Message) (bool, error) { return found(m.Subject, m.Sequence), nil })
	if err != nil {
		return fmt.Errorf("scan stream %s: %w", stream, err)
	}
	return nil
}

// Groups returns the groups of the messages with after < sequence ≤ through, each with its
// first and last message, and the oldest sequence of the stream.
func Groups(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, filters []string, after, through uint64,
) (map[string]engine.Span, uint64, error) {
	store, err := b.Store(ctx, stream)
	if err != nil {
		return nil, 0, err
	}
	spans := map[string]engine.Span{}
	if after < through {
		err = Scan(ctx, b, stream, filters, after+1, func(subject string, sequence uint64) bool {
			if sequence > through {
				return false
			}
			group := topology.GroupOf(subject)
			span, known := spans[group]
			if !known {
				span.First = sequence
			}
			span.Last = sequence
			spans[group] = span
			return sequence < through
		})
	}
	if err != nil {
		return nil, 0, err
	}
	state, err := store.State(ctx)
	return spans, state.FirstSeq, err
}

// UpTo calls take with the messages that a stream holds on a filter, in order, up to its
// present end. It asks the stream where that is: a consumer on a server whose copy lags would
// stop before it.
func UpTo(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, filter string, take func(proof.Message),
) error {
	filters := []string{filter}
	// A reading would wait for a first message.
	if some, _, err := holdsMore(ctx, b, stream, filters, 1, 0); err != nil || !some {
		return err
	}
	reading, err := openOrdered(ctx, b, stream, orderedOptions{filters: filters, from: 1, ends: true})
	if err != nil {
		return err
	}
	defer reading.stop()
	err = reading.each(ctx, func(m proof.Message) (bool, error) {
		take(m)
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("read stream %s: %w", stream, err)
	}
	return nil
}
