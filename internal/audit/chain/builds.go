package chain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// BuildUse is the part of a partition, or of a stream, that one build wrote (AU-12).
type BuildUse struct {
	Build buildinfo.Build `json:"build"`
	First uint64          `json:"first"` // first checkpoint
	Last  uint64          `json:"last"`
}

// builds returns which builds wrote a partition, according to its newest record.
func (p *partition) builds() (all []BuildUse) {
	if p.record == nil {
		return nil
	}
	for i, b := range p.record.Builds {
		last := p.valid
		if i+1 < len(p.record.Builds) {
			last = p.record.Builds[i+1].From - 1
		}
		all = append(all, BuildUse{Build: b.Build, First: b.From, Last: last})
	}
	return all
}

// Builds returns which builds wrote the stream, in the order in which they started.
func (s StreamReport) Builds() (all []BuildUse) {
	for _, p := range s.Partitions {
		for _, use := range p.Builds {
			i := slices.IndexFunc(all, func(known BuildUse) bool { return known.Build == use.Build })
			if i < 0 {
				all = append(all, use)
				continue
			}
			all[i].First, all[i].Last = min(all[i].First, use.First), max(all[i].Last, use.Last)
		}
	}
	slices.SortStableFunc(all, func(a, b BuildUse) int { return cmp.Compare(a.First, b.First) })
	return all
}

// buildText writes which builds wrote a stream.
func (s StreamReport) buildText(b *strings.Builder) {
	var spans []string
	for _, use := range s.Builds() {
		spans = append(spans, fmt.Sprintf("%s from %d to %d", use.Build, use.First, use.Last))
	}
	if len(spans) > 0 {
		fmt.Fprintf(b, "%-9s  written by %s\n", s.Name, strings.Join(spans, ", "))
	}
}

// beginText writes where a stream begins if older messages have aged out.
func (s StreamReport) beginText(b *strings.Builder) {
	begun, first, last := 0, uint64(0), uint64(0)
	for _, p := range s.Partitions {
		if p.Beginning == nil || p.Begins == 0 {
			continue
		}
		if begun++; first == 0 || p.Begins < first {
			first = p.Begins
		}
		last = max(last, p.Begins)
	}
	if begun > 0 {
		fmt.Fprintf(b, "%-9s  has a signed beginning in %s, at %d to %d: what preceded it has aged out\n", s.Name, text.Count(begun, "partition"), first, last)
	}
}

// beginning returns the signed beginning of a partition from which messages aged out.
func (p *partition) beginning() *proof.Beginning {
	if p.record == nil || p.begins == 0 {
		return nil
	}
	return p.record.Begins
}
