package chain

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Acceptance records who acknowledged damage, and why.
type Acceptance struct {
	By       string    `json:"by"`
	Why      string    `json:"why"`
	At       time.Time `json:"at"`       // when the broker stored it
	Recorded uint64    `json:"recorded"` // sequence in SEGMENTS
}

// Acknowledged is a fault that an operator acknowledged. It does not keep the record from being verified.
type Acknowledged struct {
	Finding
	Acceptance
}

// String returns one line for a person.
func (a Acknowledged) String() string {
	return fmt.Sprintf("%s; acknowledged by %s on %s (%q), recorded at SEGMENTS %d",
		a.Finding, clip(a.By), clock(a.At), a.Why, a.Recorded)
}

// acknowledgement records the faults that an operator's event names. It counts only if ingest committed it
// to its stream: ingest rejects acts without the operator's credential (EV-10).
func (v *verification) acknowledgement(w waiting) {
	var act runevents.OperatorAct
	if json.Unmarshal(w.data, &act) != nil || act.Act != runevents.ActAcknowledgeDamage {
		return
	}
	damage, err := runevents.ParseDamage(&act)
	if err != nil {
		return // its faults are then reported as not acknowledged
	}
	if v.accepted == nil {
		v.accepted = map[string]Acceptance{}
	}
	for _, fault := range damage.Faults {
		if _, known := v.accepted[fault.Mark]; !known {
			v.accepted[fault.Mark] = Acceptance{By: act.By, Why: act.Why, At: w.stored, Recorded: w.sequence}
		}
	}
}

// judged separates the findings that an operator acknowledged from the others.
func (v *verification) judged() (faults []Finding, known []Acknowledged) {
	for _, f := range v.list {
		if f.Kind == "" {
			continue
		}
		if by, is := v.accepted[f.Mark()]; is && len(f.parts) == 0 {
			known = append(known, Acknowledged{f, by})
			continue
		}
		faults = append(faults, f)
	}
	return faults, known
}

// Place is a part of the record whose damage is acknowledged: STREAM, STREAM/SEQUENCE, STREAM/FIRST-LAST,
// or all.
type Place struct {
	stream      string // "" means all
	first, last uint64 // 0 means the whole stream
}

// ParsePlace parses a place.
func ParsePlace(text string) (Place, error) {
	stream, at, ranged := strings.Cut(text, "/")
	if text == "all" {
		return Place{}, nil
	}
	streams := append([]string{"INPUT"}, append(names(), string(events.StreamDeadLetter), string(appliedStream))...)
	if !slices.Contains(streams, stream) {
		return Place{}, fmt.Errorf("%q is not a place: use all, or one of %s, with /SEQUENCE or /FIRST-LAST after it",
			text, strings.Join(streams, ", "))
	}
	place := Place{stream: stream}
	if !ranged {
		return place, nil
	}
	from, to, several := strings.Cut(at, "-")
	if !several {
		to = from
	}
	var err1, err2 error
	place.first, err1 = strconv.ParseUint(from, 10, 64)
	place.last, err2 = strconv.ParseUint(to, 10, 64)
	if err1 != nil || err2 != nil || place.first == 0 || place.first > place.last {
		return Place{}, fmt.Errorf("%q is not a place: the stream must be followed by a sequence, or FIRST-LAST", text)
	}
	return place, nil
}

func names() (all []string) {
	for _, name := range Streams {
		all = append(all, string(name))
	}
	return all
}

// holds reports whether a finding is entirely within the place.
func (p Place) holds(f Finding) bool {
	switch {
	case p.stream == "":
		return true
	case f.Stream != p.stream || f.File != "":
		return false
	}
	return p.first == 0 || p.first <= f.Sequence && max(f.Through, f.Sequence) <= p.last
}

// Faults returns the faults in a place that nobody acknowledged, including those that are not listed.
func (r *Report) Faults(in Place) (all []Finding) {
	for _, f := range r.faults {
		parts := f.parts
		if len(parts) == 0 {
			parts = []Finding{f}
		}
		for _, part := range parts {
			if in.holds(part) {
				all = append(all, part)
			}
		}
	}
	return all
}

// Damage returns what an operator's event states about faults.
func Damage(faults []Finding) (d runevents.Damage) {
	for _, f := range faults {
		d.Faults = append(d.Faults, runevents.Fault{Kind: string(f.Kind), Stream: f.Stream, Sequence: f.Sequence, Through: f.Through, Mark: f.Mark()})
	}
	return d
}
