// Package progress looks up how far a stage has read its source, for the readiness of
// services, their metrics and `scaffoldwatch doctor`.
package progress

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Partition is how far a stage has read one partition of its source.
type Partition struct {
	Partition int
	// Waiting are the messages of the source after the last one consumed, 0 if the
	// stage is up to date; Since is when the first of them was stored, by the
	// broker's clock.
	Waiting uint64
	Since   time.Time
	// Committed is when the stage last committed; zero: never.
	Committed time.Time
	// Refused is why the newest checkpoint of the stage is not accepted here, ""
	// if it is.
	Refused string
	// SourceRefused is the same of the stage before, whose events this one reads.
	SourceRefused string
	// Now is the broker's time of the look.
	Now time.Time
}

// Idle returns how long messages have waited without a commit; 0 if none wait.
func (p Partition) Idle() time.Duration {
	if p.Waiting == 0 {
		return 0
	}
	from := p.Since
	if p.Committed.After(from) {
		from = p.Committed
	}
	return max(p.Now.Sub(from), 0)
}

// Age returns how long the first waiting message has waited; 0 if none waits.
func (p Partition) Age() time.Duration {
	if p.Waiting == 0 {
		return 0
	}
	return max(p.Now.Sub(p.Since), 0)
}

// Look returns how far a stage has read every partition. It reads the stage's checkpoints and
// its source, so it does not matter where the stage runs.
func Look(ctx context.Context, b *natsengine.Broker, stage string) ([]Partition, error) {
	return NewWatch(b, stage).Look(ctx)
}

// partition returns the progress on one partition.
func (l *look) partition(ctx context.Context, partition int) (Partition, error) {
	p, err := l.progress(ctx, partition)
	if err != nil {
		return p, fmt.Errorf("look up the progress of %s on partition %d: %w", l.stage, partition, err)
	}
	return p, nil
}

func (l *look) progress(ctx context.Context, partition int) (Partition, error) {
	p := Partition{Partition: partition, Now: l.sourceInfo.TimeStamp}
	checkpoint, at, refused, err := newest(ctx, l.broker, l.stage, partition, l.own)
	if err != nil {
		return p, err
	}
	p.Refused = refused
	var read, anchor uint64
	if checkpoint != nil {
		read, anchor, p.Committed = checkpoint.Position.Sequence, checkpoint.Position.Anchor, at.Time
	}
	if l.before != "" {
		// What is after the last valid checkpoint of the source is not input.
		var last *proof.Message
		if _, last, p.SourceRefused, err = newest(ctx, l.broker, l.before, partition, l.source); err != nil || last == nil || last.Sequence <= anchor {
			return p, err
		}
	}
	if l.sourceInfo.State.LastSeq > read {
		err = waiting(ctx, l.source, partition, read, &p)
	}
	return p, err
}

// newest returns the last valid checkpoint of a stage, nil if there is none, and why a newer
// message on its subject is not accepted.
func newest(
	ctx context.Context, b *natsengine.Broker, stage string, partition int, written *proof.Store,
) (c *proof.Checkpoint, at *proof.Message, refused string, err error) {
	c, at, fence, err := proof.LastCheckpoint(ctx, written, b.Verifier(stage), partition, 0)
	if err != nil || fence == 0 || at != nil && fence == at.Sequence {
		return c, at, "", err
	}
	m, err := written.At(ctx, fence)
	if err != nil || m == nil {
		return c, at, "", err
	}
	if _, refused = b.Verifier(stage).Read(partition, m); refused == "" {
		refused = proof.ReasonCopied
	}
	return c, at, refused, nil
}

// probe is how long a consumer that counts waiting messages outlives its use.
const probe = 5 * time.Second

// waiting counts the events of a partition after a sequence.
func waiting(ctx context.Context, source *proof.Store, partition int, read uint64, p *Partition) error {
	number := strconv.Itoa(partition)
	filters := []string{"*.*." + number + ".*.*"}
	if source.Stream.CachedInfo().Config.Name != string(events.StreamInput) {
		filters = append(filters, "*.*.*."+number+".*.*") // forwarded events
	}
	more, err := heldAfter(ctx, source, filters, read)
	if err != nil || !more {
		return err
	}
	consumer, err := source.Stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		FilterSubjects: filters, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: read + 1,
		AckPolicy: jetstream.AckNonePolicy, HeadersOnly: true, InactiveThreshold: probe, MemoryStorage: true, Replicas: 1,
	})
	if err != nil {
		return fmt.Errorf("count what waits: %w", err)
	}
	counted := consumer.CachedInfo()
	if err := source.Stream.DeleteConsumer(ctx, counted.Name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("remove the consumer that counts what waits: %w", err)
	}
	p.Waiting = counted.NumPending
	for _, filter := range filters {
		first, err := source.Next(ctx, filter, read+1)
		if err != nil {
			return err
		}
		if first != nil && (p.Since.IsZero() || first.Time.Before(p.Since)) {
			p.Since = first.Time
		}
	}
	return nil
}

// heldAfter reports whether a stream holds a message after a sequence. The broker finds the
// last message on a filter without looking at those before it.
func heldAfter(ctx context.Context, s *proof.Store, filters []string, sequence uint64) (bool, error) {
	for _, filter := range filters {
		if last, err := s.Last(ctx, filter); err != nil || last != nil && last.Sequence > sequence {
			return err == nil, err
		}
	}
	return false, nil
}

// Stalled returns an error if a stage makes no progress: input has waited in some partitions
// for longer than after without a commit, or its checkpoints are not accepted.
func Stalled(stage string, progress []Partition, after time.Duration) error {
	var stuck []string
	var own, source refusals
	var waiting uint64
	var longest time.Duration
	for _, p := range progress {
		own.add(p.Partition, p.Refused)
		source.add(p.Partition, p.SourceRefused)
		if p.Idle() > after {
			stuck = append(stuck, strconv.Itoa(p.Partition))
			waiting += p.Waiting
			longest = max(longest, p.Idle())
		}
	}
	faults := []error{own.of(stage), source.of(subjects.StageOf(subjects.SourceOf(stage)))}
	if len(stuck) > 0 {
		faults = append(faults, fmt.Errorf("%d messages wait for %s in %s, without a commit for %s: does an instance own them?", waiting, stage, partitions(stuck), longest.Round(time.Second)))
	}
	return errors.Join(faults...)
}

// refusals are the partitions whose newest checkpoint is not accepted.
type refusals struct {
	partitions []string
	reason     string
}

func (r *refusals) add(partition int, reason string) {
	if reason != "" {
		r.partitions, r.reason = append(r.partitions, strconv.Itoa(partition)), reason
	}
}

func (r *refusals) of(stage string) error {
	if len(r.partitions) == 0 {
		return nil
	}
	return fmt.Errorf("the newest checkpoints of %s are not accepted in %s (%s): is its key in security.trusted_keys here?", stage, partitions(r.partitions), r.reason)
}

func partitions(numbers []string) string {
	if len(numbers) == 1 {
		return "partition " + numbers[0]
	}
	return "partitions " + strings.Join(numbers, ", ")
}
