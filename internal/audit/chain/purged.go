package chain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// tombstones is the stream whose tombstones count: ingest signs what arrives with an operator's credential,
// so no later stage can add one.
const tombstones = events.StreamSegments

// Purged is what an operator erased of a session or run, according to its tombstone (AU-40).
type Purged struct {
	Group    string              `json:"group"`
	Sequence uint64              `json:"sequence"` // of the tombstone in SEGMENTS
	By       string              `json:"by"`
	Why      string              `json:"why"`
	Erased   []runevents.Erasure `json:"erased"`
	// Left is what a purge that was interrupted, or still runs, has not removed yet. The chain does not show
	// it: who verifies a running system sets it.
	Left []runevents.Erasure `json:"left,omitempty"`
}

// String returns one line for a person. Without Erased it is an announcement that no tombstone followed.
func (p Purged) String() string {
	of := func(erased []runevents.Erasure) string {
		var counts []string
		for _, e := range erased {
			counts = append(counts, fmt.Sprintf("%d of %s", e.Messages, e.Stream))
		}
		return strings.Join(counts, ", ")
	}
	const again = "it is running, or was interrupted: then run `scaffoldwatch purge %s` again"
	switch {
	case len(p.Erased) == 0:
		return fmt.Sprintf("%s: %s announced its purge (%q) at SEGMENTS %d, nothing is erased; "+again,
			p.Group, clip(p.By), p.Why, p.Sequence, p.Group)
	case len(p.Left) > 0:
		return fmt.Sprintf("%s: not erased yet by %s (%q), whose tombstone is at SEGMENTS %d: %s left; "+again+"; chain intact",
			p.Group, clip(p.By), p.Why, p.Sequence, of(p.Left), p.Group)
	}
	return fmt.Sprintf("%s: erased by %s (%q), tombstone at SEGMENTS %d: %s; chain intact",
		p.Group, clip(p.By), p.Why, p.Sequence, of(p.Erased))
}

// states reports whether events of a type are an operator's statements about the record.
func states(typ string) bool {
	return typ == string(runevents.TypeContentPurged) || typ == string(runevents.TypeOperatorAct)
}

// stated notes an operator's statement about the record in a proven event.
func (v *verification) stated(w waiting) {
	if w.typ == string(runevents.TypeContentPurged) {
		v.tombstone(w)
		return
	}
	v.acknowledgement(w)
}

// tombstone records what a proven tombstone names. An announcement names nothing; it waits for its
// tombstone.
func (v *verification) tombstone(w waiting) {
	var of runevents.ContentPurged
	if json.Unmarshal(w.data, &of) != nil {
		return
	}
	purged := Purged{Group: group(w.subject), Sequence: w.sequence, By: of.By, Why: of.Why, Erased: of.Erased}
	v.announced = slices.DeleteFunc(v.announced, func(a Purged) bool { return a.Group == purged.Group })
	if len(of.Erased) == 0 {
		v.announced = append(v.announced, purged)
		return
	}
	if v.erased == nil {
		v.erased = map[string]proof.Ranges{}
	}
	for _, e := range of.Erased {
		ranges, err := e.Ranges()
		if err != nil {
			continue // its messages are then reported as erased without a tombstone
		}
		v.erased[e.Stream] = v.erased[e.Stream].With(ranges...)
	}
	v.purged = append(v.purged, purged)
}

// missingEvent is an event of a batch that the stream no longer holds.
type missingEvent struct {
	partition  int
	sequence   uint64
	number, of int       // number of events in its batch, and its number among them
	end        uint64    // its checkpoint, which is kept
	stored     time.Time // when that checkpoint was stored
	aged       bool      // nothing after it contradicts that it aged out
}

// maxAbsent limits how many missing events wait for a tombstone.
const maxAbsent = 1 << 20

// erased keeps a missing event until all tombstones are known.
func (p *partition) erased(m missingEvent) {
	m.partition = p.number
	if len(p.stream.absent) == maxAbsent {
		if !m.aged {
			p.stream.lost(m)
		}
		return
	}
	p.stream.absent = append(p.stream.absent, m)
}

func (s *stream) lost(m missingEvent) {
	s.fault(Finding{
		Kind: ErasedEvent, Partition: m.partition, Sequence: m.sequence,
		What: fmt.Sprintf("event %d of the %d of its batch was removed", m.number, m.of),
	})
}

// settleErased reports the missing events that no tombstone names.
func (v *verification) settleErased() {
	for _, name := range Streams {
		s, ranges := v.streams[name], v.erased[string(name)]
		for _, m := range s.absent {
			if !ranges.Has(m.sequence) && !s.expired(m) {
				s.lost(m)
			}
		}
	}
}

// expired reports whether a missing event has aged out: its batch was old enough when the stream had been
// read, or it precedes the signed beginning.
func (s *stream) expired(m missingEvent) bool {
	if p := s.partitions[m.partition]; p.begun() > m.end {
		return true
	}
	return m.aged && !m.stored.After(s.until.Add(slack(s.MaxAge)-s.MaxAge))
}

// purgedBefore reports whether tombstones name every message before a sequence.
func (v *verification) purgedBefore(name events.Stream, sequence uint64) bool {
	first := v.erased[string(name)]
	return sequence <= 1 || len(first) > 0 && first[0][0] <= 1 && first[0][1] >= sequence-1
}
