package chain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

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
}

// String returns one line for a person.
func (p Purged) String() string {
	var counts []string
	for _, e := range p.Erased {
		counts = append(counts, fmt.Sprintf("%d of %s", e.Messages, e.Stream))
	}
	return fmt.Sprintf("%s: erased by %s (%q), tombstone at SEGMENTS %d: %s; chain intact", p.Group, clip(p.By), p.Why, p.Sequence, strings.Join(counts, ", "))
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

// tombstone records what a proven tombstone names. An announcement names nothing.
func (v *verification) tombstone(w waiting) {
	var of runevents.ContentPurged
	if json.Unmarshal(w.data, &of) != nil || len(of.Erased) == 0 {
		return
	}
	if v.erased == nil {
		v.erased = map[string][][2]uint64{}
	}
	for _, e := range of.Erased {
		ranges, err := e.Ranges()
		if err != nil {
			continue // its messages are then reported as erased without a tombstone
		}
		v.erased[e.Stream] = append(v.erased[e.Stream], ranges...)
	}
	v.purged = append(v.purged, Purged{Group: group(w.subject), Sequence: w.sequence, By: of.By, Why: of.Why, Erased: of.Erased})
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
			if !within(ranges, m.sequence) && !s.expired(m) {
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

// within reports whether any range contains a sequence.
func within(ranges [][2]uint64, sequence uint64) bool {
	return slices.ContainsFunc(ranges, func(r [2]uint64) bool { return r[0] <= sequence && sequence <= r[1] })
}

// purgedBefore reports whether tombstones name every message before a sequence.
func (v *verification) purgedBefore(name events.Stream, sequence uint64) bool {
	next := uint64(1)
	ranges := slices.SortedFunc(slices.Values(v.erased[string(name)]), func(a, b [2]uint64) int { return cmp.Compare(a[0], b[0]) })
	for _, r := range ranges {
		if r[0] <= next {
			next = max(next, r[1]+1)
		}
	}
	return next >= sequence
}
