package keep

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Headers of a scheduled message. The client library's helper would cut the
// time to seconds.
const (
	headerSchedule = "Nats-Schedule"
	headerTarget   = "Nats-Schedule-Target"
)

// Timers schedules in TIMERS every timer that a stage sets in its own stream, until ctx ends;
// when one expires, the broker records it in INPUT (EV-9). It resumes where it, or another
// instance, stopped, and tries again after an error, with which it calls failed. A timer that
// is scheduled twice expires twice, with the same event id, and machines ignore an id they have
// seen. So one instance of a stage should do this at a time, but two do no harm.
func Timers(ctx context.Context, b *natsengine.Broker, name string, failed func(error)) {
	Retry(ctx, func() (bool, error) {
		saved, err := timersOnce(ctx, b, name)
		return saved, fmt.Errorf("keep the timers of %s: %w", name, err)
	}, failed)
}

// timersOnce is one attempt of Timers. It reports whether it saved a position.
func timersOnce(ctx context.Context, b *natsengine.Broker, name string) (saved bool, err error) {
	positions, err := b.JetStream().KeyValue(ctx, topology.BucketPositions)
	if err != nil {
		return false, fmt.Errorf("open the positions: %w", err)
	}
	key := "timers." + name
	extent, err := b.Extent(ctx, name)
	if err != nil {
		return false, err
	}
	after, err := readPosition(ctx, b, positions, key, name, extent)
	if err != nil {
		return false, err
	}
	reader, err := read.Open(ctx, b, read.Options{Stage: name, Partition: natsengine.AllPartitions, After: after, Filters: timerFilters(name)})
	if err != nil {
		return false, err
	}
	defer reader.Close()
	for {
		at, err := scheduleSome(ctx, b, name, reader)
		if err != nil {
			return saved, err
		}
		if at == after {
			continue
		}
		value, err := claim{Key: claimed(topology.BucketPositions, key), Sequence: at, Stream: extent.Identity}.encode(b.Keys().Own)
		if err == nil {
			_, err = positions.Put(ctx, key, value)
		}
		if err != nil {
			return saved, fmt.Errorf("save the position: %w", err)
		}
		after, saved = at, true
	}
}

// manyTimers is how many timers and checkpoints are read before the position is saved.
const manyTimers = 256

// scheduleSome waits for a timer, schedules it and the others that have arrived, and returns
// the position after them.
func scheduleSome(ctx context.Context, b *natsengine.Broker, name string, reader *read.Reader) (uint64, error) {
	a, err := reader.Next(ctx)
	timers, own := 0, step.Source(name) // not what a stage only forwarded
	for n := 0; err == nil; n++ {
		if set, is := a.Input.Event.Data.(*events.TimerSet); is && a.Fault == "" && a.Input.Event.Source == own {
			if err := schedule(ctx, b, name, a, *set); err != nil {
				return 0, err
			}
			timers++
		}
		at := a.Position.Anchor
		if n >= manyTimers {
			return at, nil
		}
		var more bool
		if a, more, err = reader.Ready(ctx); more || err != nil {
			continue
		}
		if timers > 0 {
			return at, nil
		}
		a, err = reader.Next(ctx) // checkpoints alone are not worth saving
	}
	return 0, err
}

func schedule(ctx context.Context, b *natsengine.Broker, name string, a read.Accepted, set events.TimerSet) error {
	m, err := timerMessage(name, a.Input.Event, a.Input.Arrived, set)
	if err != nil { // a retry would fail in the same way
		b.Observer().Skipped(a.Stream, a.Partition, proof.ReasonTimer, a.Position.Sequence)
		return nil
	}
	if _, err := b.JetStream().PublishMsg(ctx, m); err != nil {
		return fmt.Errorf("schedule timer %s of %s: %w", set.Name, a.Input.Event.Subject, err)
	}
	return nil
}

// readPosition returns the position that a stage saved. Any other value of the bucket is
// reported and counts as 0, so that every timer is scheduled again; those that were are
// recognised by their ids.
func readPosition(
	ctx context.Context, b *natsengine.Broker, positions jetstream.KeyValue,
	key, stage string, extent natsengine.Extent,
) (uint64, error) {
	entry, err := positions.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read position %s: %w", key, err)
	}
	trusted := b.Keys().Trusted[stage]
	if at, err := strconv.ParseUint(string(entry.Value()), 10, 64); err == nil && len(trusted) == 0 && at <= extent.Last {
		return at, nil // of an earlier version
	}
	c, err := readClaim(claimed(topology.BucketPositions, key), entry.Value(), trusted)
	if err != nil || c.Sequence > extent.Last {
		b.Observer().Skipped(topology.BucketPositions, natsengine.AllPartitions, reason(err), entry.Revision())
		return 0, nil
	}
	if !extent.Holds(c.Stream, c.Sequence) { // the stream was created again
		return 0, nil
	}
	return c.Sequence, nil
}

// timerFilters returns the subjects of timer.set in the stream of a stage.
func timerFilters(name string) []string {
	stream, _ := natsengine.StreamOf(name)
	if d, ok := events.Lookup(events.TypeTimerSet); ok && d.Stream == stream {
		return []string{subjects.FleetFilter(events.TypeTimerSet)}
	}
	return []string{strings.ToLower(string(stream)) + "." + subjects.FleetFilter(events.TypeTimerSet)}
}

// timerMessage returns the scheduled message of the event that the broker will record. A later
// timer with the same stage, group, subject and name replaces it, except for news from one
// group to another, none of which may be lost.
func timerMessage(name string, cause events.Event, arrived time.Time, set events.TimerSet) (*nats.Msg, error) {
	expired := engine.TimerExpired(cause, &set)
	target, err := subjects.PublishedSubject(expired)
	if err != nil {
		return nil, fmt.Errorf("address timer %s of %s: %w", set.Name, cause.Subject, err)
	}
	header, data, err := events.EncodeBinary(expired)
	if err != nil {
		return nil, fmt.Errorf("encode timer %s of %s: %w", set.Name, cause.Subject, err)
	}
	called, at := natsengine.Token(set.Name), expired.Time
	if set.News(cause) {
		called, at = called+"-"+natsengine.Token(cause.ID), arrived.UTC()
	}
	m := &nats.Msg{
		Header: header, Data: data,
		Subject: strings.Join([]string{subjects.TimerSubject, name, expired.PartitionKey, cause.Subject, called}, "."),
	}
	m.Header.Set(headerSchedule, "@at "+at.Format(time.RFC3339Nano))
	m.Header.Set(headerTarget, target)
	m.Header.Set(jetstream.MsgTTLHeader, "never") // the age of TIMERS does not end a long timer
	return m, nil
}
