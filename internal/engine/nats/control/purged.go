package control

import (
	"context"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// tombstones is the filter of what operators did, tombstones among it, in DECISIONS.
const tombstones = "decisions." + events.ClassOperatorAct + ".>"

// purged holds the decisions that tombstones in DECISIONS name. From the tombstone on they decide
// nothing: a key goes while its decisions wait to be removed, and stays away although the beginning of the
// stream went with them, which otherwise means that a decision expired (AU-40).
type purged struct {
	mu    sync.RWMutex
	named proof.Ranges
}

func readPurged(ctx context.Context, b *natsengine.Broker) (*purged, error) {
	all, err := read.Tombstones(ctx, b, events.StreamDecisions, "")
	if err != nil {
		return nil, err
	}
	p := &purged{}
	for _, t := range all {
		if err := p.add(t.ContentPurged); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *purged) add(of runevents.ContentPurged) error {
	named, err := read.Named(string(events.StreamDecisions), of)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.named = p.named.With(named...)
	return nil
}

func (p *purged) has(sequence uint64) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.named.Has(sequence)
}

// erasedBy returns the tombstone that an accepted event is, nil for any other event and for the
// announcement of a purge.
func erasedBy(a read.Accepted) *runevents.ContentPurged {
	if of, is := a.Input.Event.Data.(*runevents.ContentPurged); is && a.Fault == "" && len(of.Erased) > 0 {
		return of
	}
	return nil
}

// forget removes the keys whose decisions a tombstone names.
func (b *bucketWriter) forget(ctx context.Context, of runevents.ContentPurged) error {
	if err := b.purged.add(of); err != nil {
		return err
	}
	for _, id := range of.IDs {
		for _, key := range keysOf(id) {
			err := b.change(ctx, key, func(h held) (nats.Header, []byte, bool) {
				return b.deletion(entry{key: key}), nil, h.there() && b.purged.has(h.sequence)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func keysOf(id string) []string {
	return []string{runevents.RunControlKey(id), runevents.SessionControlKey(id)}
}

// Showing returns the keys of CONTROL, sorted, that show a decision which a purge names (AU-40).
func Showing(ctx context.Context, b *natsengine.Broker, named proof.Ranges) (keys []string, err error) {
	bucket, err := openBucket(ctx, b)
	if err != nil {
		return nil, err
	}
	kept, err := bucket.all(ctx)
	for key, h := range kept {
		if h.there() && named.Has(h.sequence) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, err
}
