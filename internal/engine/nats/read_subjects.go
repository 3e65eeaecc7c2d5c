package nats

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// scanSubjects calls found with the subject and sequence of each message that a
// stream holds now on some subjects, from a sequence on, until it returns false.
// The broker sends no data.
func scanSubjects(ctx context.Context, js jetstream.JetStream, stream events.Stream, filters []string, from uint64, found func(subject string, sequence uint64) bool) error {
	consumer, err := js.OrderedConsumer(ctx, string(stream), jetstream.OrderedConsumerConfig{
		FilterSubjects: filters, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: max(from, 1),
		InactiveThreshold: feedIdle, HeadersOnly: true,
	})
	if err != nil {
		return fmt.Errorf("scan stream %s: %w", stream, err)
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		return fmt.Errorf("scan stream %s: %w", stream, err)
	}
	if info.NumPending == 0 {
		return nil
	}
	iterator, err := consumer.Messages()
	if err != nil {
		return fmt.Errorf("scan stream %s: %w", stream, err)
	}
	defer iterator.Stop()
	for {
		next, err := iterator.Next(jetstream.NextContext(ctx))
		if err != nil {
			return fmt.Errorf("scan stream %s: %w", stream, err)
		}
		meta, err := next.Metadata()
		if err != nil {
			return fmt.Errorf("read a message's metadata: %w", err)
		}
		if !found(next.Subject(), meta.Sequence.Stream) || meta.NumPending == 0 {
			return nil
		}
	}
}
