package commit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// records is what a log knows of the records of its partition, see [proof.Record].
type records struct {
	last    *proof.Record // completed with its checkpoint, nil: none yet
	pending bool          // the checkpoint of the last one is known, but not its time
	written time.Time     // by this process's clock
}

// recordSubject returns where the stage stores the records of the partition.
func (l *log) recordSubject() string {
	return proof.RecordSubject(l.stage, strconv.Itoa(l.partition))
}

// loadRecord reads the last record that is part of a valid batch.
func (l *log) loadRecord(ctx context.Context) error {
	m, err := l.store.Last(ctx, l.recordSubject())
	for ; m != nil && err == nil; m, err = l.store.Before(ctx, l.recordSubject(), m.Sequence) {
		accepted, err := l.covers.Accepts(ctx, m)
		if err != nil {
			return fmt.Errorf("check the record at %d: %w", m.Sequence, err)
		}
		record := proof.ReadRecord(m.Data)
		if !accepted || record == nil {
			continue
		}
		end, err := l.store.Next(ctx, subjects.CheckpointSubject(l.stage, l.partition), m.Sequence+1)
		if err != nil || end == nil {
			return err
		}
		record.Stored(proof.Milestone{Sequence: end.Sequence, Digest: proof.Head(end.Data), Time: end.Time})
		l.records = records{last: record, written: time.Now().Add(-time.Since(m.Time))}
		return nil
	}
	return err
}

// age returns how long the stage is configured to keep its events.
func (l *log) age() time.Duration { return l.broker.Topology().Ages[l.stream] }

// idleShare is how many intervals pass between the records of a partition without events.
const idleShare = 8

// occasion is why a record may be written.
type occasion int

const (
	onCommit occasion = iota // a batch is written anyway
	onIdle                   // nothing else is written
	onLeave                  // the stage stops: the last batch is to have a record
)

// recordDue reports whether a record is needed.
func (l *log) recordDue(on occasion) bool {
	last, age := l.records.last, l.age()
	if last == nil || last.Age != age || last.Builds[len(last.Builds)-1].Build != l.broker.Build() {
		return on != onLeave || age > 0
	}
	if on == onLeave {
		return age > 0 && len(last.Milestones) > 0 && last.Milestones[len(last.Milestones)-1].Sequence < l.valid
	}
	return age > 0 && time.Since(l.records.written) >= every(age, on)
}

// every returns the time between two records of a partition.
func every(age time.Duration, on occasion) time.Duration {
	if on == onCommit {
		return proof.Interval(age)
	}
	return idleShare * proof.Interval(age)
}

// kept returns the time from which on messages must still be there, by the clock of the broker:
// those that do not expire before the next record is due.
func kept(age time.Duration, on occasion, now time.Time) time.Time {
	return now.Add(every(age, on) + proof.Interval(age) - age)
}

// record returns the record for the next batch, nil if none is due.
func (l *log) record(ctx context.Context, on occasion) (*proof.Record, error) {
	if !l.recordDue(on) {
		return nil, nil
	}
	age, before := l.age(), l.records.last
	if age == 0 {
		return before.Next(l.broker.Build(), 0, time.Now()), nil
	}
	info, err := l.store.Stream.Info(ctx)
	if err != nil {
		return nil, fmt.Errorf("look up the broker's time: %w", err)
	}
	if err := l.timeMilestone(ctx); err != nil {
		return nil, err
	}
	next := before.Next(l.broker.Build(), age, info.TimeStamp)
	bound := kept(age, on, info.TimeStamp)
	begins, err := l.beginning(ctx, bound)
	if err != nil || begins == nil {
		return next, err
	}
	begins.Adopted = before == nil
	if before != nil && before.Age > 0 && before.Age < age { // what aged out until now did so sooner
		bound = kept(before.Age, on, info.TimeStamp)
	}
	if !next.Begin(*begins, bound) {
		l.broker.Observer().Skipped(string(l.stream), l.partition, proof.ReasonCut, begins.Sequence)
	}
	return next, nil
}

// timeMilestone replaces the time of the last milestone, which this process set, by the time
// that the broker stored.
func (l *log) timeMilestone(ctx context.Context) error {
	if !l.records.pending || l.records.last == nil || len(l.records.last.Milestones) == 0 {
		return nil
	}
	last := &l.records.last.Milestones[len(l.records.last.Milestones)-1]
	m, err := l.store.At(ctx, last.Sequence)
	if err != nil {
		return fmt.Errorf("read the time of the checkpoint at %d: %w", last.Sequence, err)
	}
	if m != nil {
		last.Time = m.Time
	}
	l.records.pending = false
	return nil
}

// recorded remembers a record that was committed with the last checkpoint.
func (l *log) recorded(record *proof.Record) {
	if record == nil {
		return
	}
	now := time.Now()
	record.Stored(proof.Milestone{Sequence: l.valid, Digest: l.head, Time: now.UTC()})
	l.records = records{last: record, pending: true, written: now}
}

// recordMessage returns the message of a record.
func (l *log) recordMessage(record *proof.Record) (*nats.Msg, error) {
	m := nats.NewMsg(l.recordSubject())
	var err error
	if m.Data, err = json.Marshal(record); err != nil {
		return nil, fmt.Errorf("encode the record of the chain: %w", err)
	}
	return m, nil
}

// refresh commits a record where one is due. Partitions without events get records too, so that
// their chains do not expire as a whole.
func (l *log) refresh(ctx context.Context, leaving bool) error {
	on := onIdle
	if leaving {
		on = onLeave
	}
	if l.head == "" {
		return nil
	}
	record, err := l.record(ctx, on)
	if err != nil || record == nil {
		return err
	}
	return l.write(ctx, nil, 0, l.position, record, false)
}

// beginning returns the first valid checkpoint stored from a time on, or the last one if all
// are older; nil if the chain is kept from its first checkpoint on.
func (l *log) beginning(ctx context.Context, bound time.Time) (*proof.Beginning, error) {
	subject := subjects.CheckpointSubject(l.stage, l.partition)
	m, err := l.store.Next(ctx, subject, 1)
	if err != nil || m == nil {
		return nil, err
	}
	// Times grow with the sequence, so halving the range finds the first.
	for low, high := m.Sequence+1, l.fence; m != nil && m.Time.Before(bound) && low <= high; {
		middle := low + (high-low)/2
		found, err := l.store.Next(ctx, subject, middle)
		switch {
		case err != nil:
			return nil, err
		case found == nil || !found.Time.Before(bound):
			high = middle - 1
		default:
			low = found.Sequence + 1
		}
		if low > high {
			m, err = l.store.Next(ctx, subject, low)
			if err != nil {
				return nil, err
			}
		}
	}
	return l.validFrom(ctx, subject, m)
}

// validFrom returns the first valid checkpoint from a message on, else the last valid one.
func (l *log) validFrom(ctx context.Context, subject string, m *proof.Message) (*proof.Beginning, error) {
	verifier := l.broker.Verifier(l.stage)
	var err error
	for tries := 0; tries < maxNoise; tries++ {
		if m == nil {
			if m, err = l.store.At(ctx, l.valid); err != nil || m == nil {
				return nil, err
			}
		}
		c, reason := verifier.Read(l.partition, m)
		switch {
		case reason == "" && c.Previous == "":
			return nil, nil
		case reason == "":
			return &proof.Beginning{Sequence: m.Sequence, Digest: proof.Head(m.Data), Fence: c.Fence, Previous: c.Previous, Time: m.Time.UTC()}, nil
		case m.Sequence >= l.valid:
			return nil, nil
		}
		if m, err = l.store.Next(ctx, subject, m.Sequence+1); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Record returns the newest record of a partition's chain, completed with its checkpoint. It
// returns nil if there is none: no build that records itself has written the partition.
func Record(ctx context.Context, b *natsengine.Broker, stage string, partition int) (*proof.Record, error) {
	stream, err := natsengine.StreamOf(stage)
	if err != nil {
		return nil, err
	}
	l, _, err := newSink(b, stage, stream).open(ctx, partition)
	if err != nil {
		return nil, fmt.Errorf("read the record of %s partition %d: %w", stream, partition, err)
	}
	return l.records.last, nil
}

// Builds returns the builds that wrote what is kept of a stage, each once. A build that does
// not record itself is missing.
func Builds(ctx context.Context, b *natsengine.Broker, stage string) (all []buildinfo.Build, err error) {
	for partition := range b.Topology().Partitions {
		record, err := Record(ctx, b, stage, partition)
		if err != nil {
			return nil, err
		}
		if record == nil {
			continue
		}
		for _, span := range record.Builds {
			if !slices.Contains(all, span.Build) {
				all = append(all, span.Build)
			}
		}
	}
	return all, nil
}
