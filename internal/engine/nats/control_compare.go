package nats

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// controlDifference is a key whose value is not what DECISIONS says.
type controlDifference struct {
	want controlEntry // of sequence 0, or ended: nothing, the key must go
	held held
}

// none says that they agree after all.
func (d controlDifference) none() bool {
	if d.want.sequence == 0 || d.want.ended {
		return !d.held.there()
	}
	return d.want.sequence == d.held.sequence && xxhash.Sum64(d.want.data) == d.held.hash
}

// candidate is what the bucket should hold if its decisions are accepted.
type candidate struct {
	sequences []uint64 // of all about the key, rising
	hash      uint64   // of the last one's value
	ended     bool     // says the last one
	stopped   bool     // said one of them
}

// agrees reports whether what is held needs no check. What the bucket names as its
// source was checked when it was written; a key that is not there, of what ended
// and never was stopped, hides no halt.
func (c candidate) agrees(h held) bool {
	last := c.sequences[len(c.sequences)-1]
	switch {
	case h.sequence != last:
		return h.sequence > last || c.ended && !c.stopped && !h.there()
	case c.ended:
		return !h.there()
	}
	return h.there() && h.hash == c.hash
}

// compareControl finds where the bucket differs from DECISIONS. It reads all of
// the bucket and every control.changed, both small beside the stream, and checks
// the batches (EV-6) only of what differs: what the bucket names as its source
// was checked when it was written. A key whose decision is gone by age stays, a
// halt does not end by growing old; any other key that no decision speaks of must
// go, so it is unknown.
func (b *Broker) compareControl(ctx context.Context, bucket *controlBucket) ([]controlDifference, error) {
	kept, err := bucket.all(ctx) // before the decisions, so that none of it is newer
	if err != nil {
		return nil, err
	}
	decisions, err := b.store(ctx, events.StreamDecisions)
	if err != nil {
		return nil, err
	}
	state, err := decisions.State(ctx)
	if err != nil {
		return nil, err
	}
	decided, err := b.controlDecided(ctx)
	if err != nil {
		return nil, err
	}
	check := &controlCheck{broker: b, store: decisions, covers: map[int]*proof.Covers{}}
	var different []controlDifference
	for _, key := range slices.Sorted(maps.Keys(decided)) {
		c, h := decided[key], kept[key]
		if c.agrees(h) {
			continue
		}
		want, err := check.last(ctx, c)
		if err != nil {
			return nil, err
		}
		want.key = key
		if d := (controlDifference{want: want, held: h}); !d.none() {
			different = append(different, d)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		h := kept[key]
		_, known := decided[key]
		if aged := h.sequence > 0 && h.sequence < state.FirstSeq; !known && h.there() && !aged {
			different = append(different, controlDifference{want: controlEntry{key: key}, held: h})
		}
	}
	return different, nil
}

// all reads the bucket, deleted keys included.
func (b *controlBucket) all(ctx context.Context) (map[string]held, error) {
	kept := map[string]held{}
	err := b.broker.readUpTo(ctx, "KV_"+topology.BucketControl, controlPrefix+">", func(m message) {
		kept[m.Subject[len(controlPrefix):]] = b.heldBy(&m)
	})
	return kept, err
}

// controlDecided reads every control.changed, accepted or not.
func (b *Broker) controlDecided(ctx context.Context) (map[string]candidate, error) {
	decided := map[string]candidate{}
	err := b.readUpTo(ctx, events.StreamDecisions, subjects.FleetFilter(runevents.TypeControlChanged), func(m message) {
		v, is := controlIn(m)
		if !is {
			return
		}
		c := decided[v.key]
		decided[v.key] = candidate{
			sequences: append(c.sequences, v.sequence), hash: xxhash.Sum64(v.data), ended: v.ended, stopped: c.stopped || v.stopped,
		}
	})
	return decided, err
}

// controlIn is the value that a message of DECISIONS stands for, if it is
// accepted.
func controlIn(m message) (controlEntry, bool) {
	record, _ := decode(events.StreamDecisions, m)
	if record.Fault != "" || !subjects.Fits(record.Input.Event.Type, m.Subject) {
		return controlEntry{}, false
	}
	return controlFrom(record.Input.Event, m.Sequence)
}

// readUpTo gives take what a stream holds on a filter now, in order. A consumer on a
// server whose copy is behind does not end it before the stream itself holds no more.
func (b *Broker) readUpTo(ctx context.Context, stream events.Stream, filter string, take func(message)) error {
	filters := []string{filter}
	// A reading would wait for a first message.
	if some, _, err := b.holdsMore(ctx, stream, filters, 1, 0); err != nil || !some {
		return err
	}
	reading, err := b.openOrdered(ctx, stream, orderedOptions{filters: filters, from: 1, ends: true})
	if err != nil {
		return err
	}
	defer reading.stop()
	err = reading.each(ctx, func(m message) (bool, error) {
		take(m)
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("read stream %s: %w", stream, err)
	}
	return nil
}

// controlCheck accepts decisions one by one.
type controlCheck struct {
	broker *Broker
	store  *store
	covers map[int]*proof.Covers
}

// last is the last accepted value of a candidate, of sequence 0 if there is none.
func (c *controlCheck) last(ctx context.Context, of candidate) (controlEntry, error) {
	for _, sequence := range slices.Backward(of.sequences) {
		m, err := c.store.At(ctx, sequence)
		if err != nil {
			return controlEntry{}, err
		}
		if m == nil { // purged meanwhile
			continue
		}
		partition, _ := proof.Partition(m.Subject)
		accepted, err := c.accepts(ctx, m)
		if err != nil {
			return controlEntry{}, fmt.Errorf("check decision %d: %w", sequence, err)
		}
		if v, is := controlIn(*m); is && accepted {
			return v, nil
		}
		c.broker.observer.Skipped(string(events.StreamDecisions), partition, ReasonOutside, sequence)
	}
	return controlEntry{}, nil
}
