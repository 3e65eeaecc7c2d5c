package read

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Tombstone is a proven content.purged about a group; without Erased it announces a purge.
type Tombstone struct {
	runevents.ContentPurged
	Group  string
	Stored proof.Message // as the stream that was read holds it
}

// Tombstones returns what a stage's stream holds of a group's tombstones and announcements, of all groups
// for "", in order.
func Tombstones(ctx context.Context, b *natsengine.Broker, stream events.Stream, group string) ([]Tombstone, error) {
	found, err := Acts(ctx, b, stream, group, func(m *proof.Message) bool {
		return m.Header.Get("ce-type") == string(runevents.TypeContentPurged)
	})
	if err != nil {
		return nil, err
	}
	var all []Tombstone
	for _, m := range found {
		t := Tombstone{Group: topology.GroupOf(m.Subject), Stored: m}
		if err := json.Unmarshal(m.Data, &t.ContentPurged); err != nil {
			return nil, fmt.Errorf("read the tombstone at %d of %s: %w", m.Sequence, stream, err)
		}
		all = append(all, t)
	}
	return all, nil
}

// Named returns the sequences of a stream that a tombstone names.
func Named(stream string, of runevents.ContentPurged) (named proof.Ranges, err error) {
	for _, e := range of.Erased {
		if e.Stream != stream {
			continue
		}
		ranges, err := e.Ranges()
		if err != nil {
			return nil, fmt.Errorf("read a tombstone: %w", err)
		}
		named = named.With(ranges...)
	}
	return named, nil
}

// purges knows which messages of a reader's stream an operator erased. A tombstone comes after what it names, so a
// reader that begins before it meets the gaps first.
type purges struct {
	named  proof.Ranges
	looked time.Time
}

// lookAgain is how often the tombstones of a stream are read again for gaps that none of them names.
const lookAgain = 10 * time.Second

// explain reports whether tombstones name all of some sequences.
func (p *purges) explain(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, missing []uint64,
) (bool, error) {
	all := func() bool {
		for _, sequence := range missing {
			if !p.named.Has(sequence) {
				return false
			}
		}
		return true
	}
	if all() {
		return true, nil
	}
	if time.Since(p.looked) < lookAgain {
		return false, nil
	}
	p.looked = time.Now()
	stones, err := Tombstones(ctx, b, stream, "")
	if err != nil {
		return false, fmt.Errorf("look for what was purged: %w", err)
	}
	for _, t := range stones {
		named, err := Named(string(stream), t.ContentPurged)
		if err != nil {
			return false, err
		}
		p.named = p.named.With(named...)
	}
	return all(), nil
}
