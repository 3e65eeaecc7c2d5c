package control

import (
	"context"
	"strings"

	"github.com/cespare/xxhash/v2"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// headerMarker is the broker's own mark of a key whose last message has expired.
const headerMarker = "Nats-Marker-Reason"

// expired reports whether a message of the bucket is such a mark. It has no value: one that has is somebody else's.
func expired(m *proof.Message) bool { return m.Header.Get(headerMarker) != "" && len(m.Data) == 0 }

// guardBucket watches the bucket and corrects at once what no decision says: a harness in any
// language reads the bucket and has no other proof (EV-6, EV-8).
func guardBucket(ctx context.Context, b *natsengine.Broker, bucket *bucketWriter, after uint64) error {
	decisions, err := b.Store(ctx, events.StreamDecisions)
	if err != nil {
		return err
	}
	feed, err := read.Follow(ctx, b, "KV_"+topology.BucketControl, []string{topology.ControlPrefix + ">"}, after+1)
	if err != nil {
		return err
	}
	defer feed.Close()
	check := newJudge(bucket, decisions)
	for {
		m, err := feed.Next(ctx)
		if err != nil {
			return err
		}
		if bucket.wrote(m.Sequence) {
			continue
		}
		if err := guard(ctx, b, bucket, check, &m); err != nil {
			return err
		}
	}
}

// guard checks one value that another process wrote, and corrects it.
func guard(ctx context.Context, b *natsengine.Broker, bucket *bucketWriter, check *judge, m *proof.Message) error {
	key, held := m.Subject[len(topology.ControlPrefix):], bucket.heldBy(m)
	want, err := check.about(ctx, key)
	if err != nil {
		return err
	}
	d := difference{want: want, held: held}
	if d.none() {
		return nil
	}
	genuine, err := check.says(ctx, key, held)
	if err != nil {
		return err
	}
	if !genuine {
		b.Observer().Skipped(topology.BucketControl, natsengine.AllPartitions, proof.ReasonForeign, m.Sequence)
	}
	return bucket.correct(ctx, d)
}

// about returns the last accepted decision about a key, with the sequence 0 if there is none.
func (c *judge) about(ctx context.Context, key string) (entry, error) {
	none := entry{key: key}
	filter := decisionFilter(key)
	if filter == "" {
		return none, nil
	}
	m, err := c.store.Last(ctx, filter)
	for ; m != nil && err == nil; m, err = c.store.Before(ctx, filter, m.Sequence) {
		v, is := entryIn(*m)
		if !is || v.key != key || c.purged.has(m.Sequence) { // a run's and a session's may share the subject
			continue
		}
		accepted, err := c.accepts(ctx, m)
		if err != nil || accepted {
			return v, err
		}
	}
	return none, err
}

// says reports whether the decision that a value names leads to what is held.
func (c *judge) says(ctx context.Context, key string, h held) (bool, error) {
	if h.sequence == 0 {
		return h.deleted, nil // what no decision speaks of, taken out by another instance
	}
	m, err := c.store.At(ctx, h.sequence)
	if err != nil || m == nil || c.purged.has(h.sequence) {
		return false, err
	}
	v, is := entryIn(*m)
	if !is || v.key != key || v.ended != h.deleted || !v.ended && xxhash.Sum64(v.data) != h.hash {
		return false, nil
	}
	return c.accepts(ctx, m)
}

// accepts reports whether a message of DECISIONS is part of a valid batch.
func (c *judge) accepts(ctx context.Context, m *proof.Message) (bool, error) {
	partition, _ := proof.Partition(m.Subject)
	if c.covers[partition] == nil {
		c.covers[partition] = proof.NewCovers(c.store, c.broker.Verifier(deciding), partition)
	}
	return c.covers[partition].Accepts(ctx, m)
}

// decisionFilter returns the filter of the decisions about a key, "" if it is not the key of a
// run or session.
func decisionFilter(key string) string {
	for _, of := range []struct {
		key    func(string) string
		filter func(events.Type, string) string
	}{{runevents.RunControlKey, subjects.RunSubjectFilter}, {runevents.SessionControlKey, subjects.SessionFilter}} {
		if id, is := strings.CutPrefix(key, of.key("")); is && events.ValidID(id) {
			return of.filter(runevents.TypeControlChanged, id)
		}
	}
	return ""
}
