package control

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// entry is the value that CONTROL should hold for one key.
type entry struct {
	key      string
	data     []byte // a JSON object of a Control
	sequence uint64 // in DECISIONS
	// ended: nothing stops it and it is over, so the key goes (EV-8).
	ended bool
	// stopped: it is anything but running.
	stopped bool
}

// entryOf returns the entry that an accepted event leads to, false for any other event.
func entryOf(a read.Accepted) (entry, bool) {
	if a.Idle || a.Fault != "" {
		return entry{}, false
	}
	return entryFrom(a.Input.Event, a.Position.Sequence)
}

func entryFrom(ev events.Event, sequence uint64) (entry, bool) {
	change, is := control.ChangeOf(ev)
	if !is {
		return entry{}, false
	}
	data, err := json.Marshal(change.Control)
	if err != nil { // plain text always encodes
		return entry{}, false
	}
	return entry{key: change.Key, data: data, sequence: sequence, ended: change.Ended, stopped: change.Stopped()}, true
}

// bucketWriter writes CONTROL.
type bucketWriter struct {
	broker    *natsengine.Broker
	store     *proof.Store
	decisions string // identity of the stream the values come from
	forgets   bool   // the marks of deleted keys can have an end
	purged    *purged

	mu  sync.Mutex
	own map[uint64]bool // revisions written here and not yet read
}

// wrote reports whether this process wrote a revision, and forgets it.
func (b *bucketWriter) wrote(revision uint64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.own[revision]
	delete(b.own, revision)
	return own
}

func (b *bucketWriter) note(revision uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.own[revision] = true
}

func openBucket(ctx context.Context, b *natsengine.Broker) (*bucketWriter, error) {
	store, err := b.Store(ctx, "KV_"+topology.BucketControl)
	if err != nil {
		return nil, err
	}
	extent, err := b.Extent(ctx, deciding)
	if err != nil {
		return nil, err
	}
	gone, err := readPurged(ctx, b)
	if err != nil {
		return nil, err
	}
	forgets := store.Stream.CachedInfo().Config.AllowMsgTTL
	return &bucketWriter{
		broker: b, store: store, decisions: extent.Identity, forgets: forgets, purged: gone, own: map[uint64]bool{},
	}, nil
}

// held is what the bucket holds for one key.
type held struct {
	revision uint64 // 0: nothing, not even the mark of a deletion
	sequence uint64 // of its decision; 0 when DECISIONS no longer holds one
	hash     uint64 // of the value
	deleted  bool
}

// there reports whether the key has a value.
func (h held) there() bool { return h.revision > 0 && !h.deleted }

// heldBy returns what a message of the bucket holds; nil is a key that was never written.
func (b *bucketWriter) heldBy(m *proof.Message) held {
	if m == nil {
		return held{}
	}
	h := held{
		revision: m.Sequence, hash: xxhash.Sum64(m.Data),
		deleted: m.Header.Get(topology.HeaderOperation) != "" || expired(m),
	}
	if from := control.ParseOrigin(m.Header.Get(control.OriginHeader)); from.Stream == b.decisions {
		h.sequence = from.Sequence
	}
	return h
}

// put writes an entry, or deletes the key of a run or session that ended, unless the bucket
// holds a later decision. It does not trust an answer that the key is not there, which may come
// from a replica that lags or from a leader that is no longer one: it publishes the deletion,
// which the broker refuses if something is there.
func (b *bucketWriter) put(ctx context.Context, v entry) error {
	return b.change(ctx, v.key, func(h held) (nats.Header, []byte, bool) {
		if v.ended {
			return b.deletion(v), nil, h.sequence < v.sequence && (h.there() || b.forgets)
		}
		return b.origin(v), v.data, h.sequence < v.sequence
	})
}

// deletion returns the header that deletes a key. Watchers are notified. The mark of the
// deletion expires, so that the bucket does not grow without bound.
func (b *bucketWriter) deletion(v entry) nats.Header {
	header := nats.Header{}
	if v.sequence > 0 {
		header = b.origin(v)
	}
	header.Set(topology.HeaderOperation, "DEL")
	if b.forgets {
		header.Set(jetstream.MsgTTLHeader, topology.ControlMarkAge.String())
	}
	return header
}

// correct writes what a comparison found to be wrong, unless another instance has written the
// key since.
func (b *bucketWriter) correct(ctx context.Context, d difference) error {
	return b.change(ctx, d.want.key, func(h held) (nats.Header, []byte, bool) {
		switch moved := h != d.held; {
		case moved && h.sequence >= d.want.sequence:
			return nil, nil, false
		case d.want.sequence == 0 || d.want.ended:
			// It was there when they were compared. An answer from before it was says nothing.
			return b.deletion(d.want), nil, h.there() || b.forgets && h.revision < d.held.revision
		}
		return b.origin(d.want), d.want.data, true
	})
}

// origin returns the header that names the decision an entry comes from.
func (b *bucketWriter) origin(v entry) nats.Header {
	return nats.Header{control.OriginHeader: {control.Origin{Stream: b.decisions, Sequence: v.sequence}.String()}}
}

// change writes what next makes of the value of a key, and tries again if another write was
// first.
func (b *bucketWriter) change(ctx context.Context, key string, next func(held) (nats.Header, []byte, bool)) error {
	for tries := 0; ; tries++ {
		m, err := b.store.Last(ctx, topology.ControlPrefix+key)
		if err != nil {
			return err
		}
		h := b.heldBy(m)
		header, data, wanted := next(h)
		if !wanted {
			return nil
		}
		ack, err := b.broker.JetStream().PublishMsg(ctx, &nats.Msg{Subject: topology.ControlPrefix + key, Header: header, Data: data},
			jetstream.WithExpectLastSequencePerSubject(h.revision))
		if err == nil {
			b.note(ack.Sequence)
			return nil
		}
		if !natsengine.Outdated(err) || tries == maxTries {
			return fmt.Errorf("write %s to %s: %w", key, topology.BucketControl, err)
		}
		time.Sleep(time.Duration(tries) * time.Millisecond) // a replica that answered may lag
	}
}

// maxTries bounds the attempts to write one key before the whole attempt starts over.
const maxTries = 50
