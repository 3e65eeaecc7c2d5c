package control

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cespare/xxhash/v2"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// difference is a key whose value is not what DECISIONS says.
type difference struct {
	want entry // of sequence 0, or ended: nothing, the key must go
	held held
}

// none reports whether the two agree after all.
func (d difference) none() bool {
	if d.want.sequence == 0 || d.want.ended {
		return !d.held.there()
	}
	return d.want.sequence == d.held.sequence && xxhash.Sum64(d.want.data) == d.held.hash
}

// candidate is what the bucket should hold for a key if its decisions are accepted.
type candidate struct {
	sequences []uint64 // of all about the key, rising
	hash      uint64   // of the last one's value
	ended     bool     // says the last one
	stopped   bool     // said one of them
}

// agrees reports whether what is held needs no check. The decision that the bucket names was
// checked when the value was written; and a key that is missing because its run or session
// ended, and that was never stopped, hides no halt.
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

// compare returns where the bucket differs from DECISIONS. It reads the whole bucket and every
// control.changed, both small beside the stream, and checks batches (EV-6) only where they
// differ. A key whose decision has expired stays, as a halt does not end with age; any other
// key without a decision must go, so that its state is unknown. A decision that a tombstone
// names decides nothing, whether it has been removed yet or not (AU-40).
func compare(ctx context.Context, b *natsengine.Broker, bucket *bucketWriter) ([]difference, error) {
	kept, err := bucket.all(ctx) // before the decisions, so that none of it is newer
	if err != nil {
		return nil, err
	}
	decisions, err := b.Store(ctx, events.StreamDecisions)
	if err != nil {
		return nil, err
	}
	state, err := decisions.State(ctx)
	if err != nil {
		return nil, err
	}
	decided, err := decidedKeys(ctx, b, bucket.purged)
	if err != nil {
		return nil, err
	}
	check := newJudge(bucket, decisions)
	var different []difference
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
		if d := (difference{want: want, held: h}); !d.none() {
			different = append(different, d)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		h := kept[key]
		_, known := decided[key]
		aged := h.sequence > 0 && h.sequence < state.FirstSeq && !bucket.purged.has(h.sequence)
		if !known && h.there() && !aged {
			different = append(different, difference{want: entry{key: key}, held: h})
		}
	}
	return different, nil
}

// all returns what the bucket holds, deleted keys included.
func (b *bucketWriter) all(ctx context.Context) (map[string]held, error) {
	kept := map[string]held{}
	err := read.UpTo(ctx, b.broker, "KV_"+topology.BucketControl, topology.ControlPrefix+">", func(m proof.Message) {
		kept[m.Subject[len(topology.ControlPrefix):]] = b.heldBy(&m)
	})
	return kept, err
}

// decidedKeys returns what every control.changed decides that is not purged, accepted or not, by key.
func decidedKeys(ctx context.Context, b *natsengine.Broker, gone *purged) (map[string]candidate, error) {
	decided := map[string]candidate{}
	err := read.UpTo(ctx, b, events.StreamDecisions, subjects.FleetFilter(runevents.TypeControlChanged), func(m proof.Message) {
		v, is := entryIn(m)
		if !is || gone.has(m.Sequence) {
			return
		}
		c := decided[v.key]
		decided[v.key] = candidate{
			sequences: append(c.sequences, v.sequence), hash: xxhash.Sum64(v.data), ended: v.ended, stopped: c.stopped || v.stopped,
		}
	})
	return decided, err
}

// entryIn returns the entry that a message of DECISIONS leads to if it is accepted, false for
// any other message.
func entryIn(m proof.Message) (entry, bool) {
	record, _ := read.Decode(events.StreamDecisions, m)
	if record.Fault != "" || !subjects.Fits(record.Input.Event.Type, m.Subject) {
		return entry{}, false
	}
	return entryFrom(record.Input.Event, m.Sequence)
}

// judge decides which messages of DECISIONS are accepted.
type judge struct {
	broker *natsengine.Broker
	store  *proof.Store
	covers map[int]*proof.Covers
	purged *purged
}

func newJudge(bucket *bucketWriter, decisions *proof.Store) *judge {
	return &judge{broker: bucket.broker, store: decisions, covers: map[int]*proof.Covers{}, purged: bucket.purged}
}

// last returns the last accepted entry of a candidate, with the sequence 0 if there is none.
func (c *judge) last(ctx context.Context, of candidate) (entry, error) {
	for _, sequence := range slices.Backward(of.sequences) {
		m, err := c.store.At(ctx, sequence)
		if err != nil {
			return entry{}, err
		}
		if m == nil { // purged meanwhile
			continue
		}
		partition, _ := proof.Partition(m.Subject)
		accepted, err := c.accepts(ctx, m)
		if err != nil {
			return entry{}, fmt.Errorf("check decision %d: %w", sequence, err)
		}
		if v, is := entryIn(*m); is && accepted {
			return v, nil
		}
		c.broker.Observer().Skipped(string(events.StreamDecisions), partition, proof.ReasonOutside, sequence)
	}
	return entry{}, nil
}

// Check returns the keys of CONTROL whose value is not what DECISIONS says. It changes
// nothing. While a dispatcher decides, a key can be late for a moment.
func Check(ctx context.Context, b *natsengine.Broker) ([]string, error) {
	bucket, err := openBucket(ctx, b)
	if err != nil {
		return nil, err
	}
	different, err := compare(ctx, b, bucket)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(different))
	for _, d := range different {
		keys = append(keys, d.want.key)
	}
	return keys, nil
}
