package duplicatebuild

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
)

// searched reports whether, before building, the primary read the file that contains the
// earlier thing or searched for its name, and still has the result in context.
func (d *instance) searched(p *detect.Pass, old *duplicate.Candidate, segment int) bool {
	if p.Additions.Compacted {
		return false
	}
	here := func(turn, at int) bool { return turn < p.Turn.Turn && !p.Before.CompactedSince(turn-1) || at < segment }
	for _, r := range p.Before.Reads(old.Symbol.Path) {
		if here(r.Turn, segment) {
			return true
		}
	}
	for _, r := range p.Additions.FilesRead {
		if r.Item.Path == old.Symbol.Path && r.Segment < segment {
			return true
		}
	}
	name := old.Symbol.Name
	if old.Symbol.Kind == "file" {
		name = stem(name)
	}
	for _, f := range p.Before.FetchedAll() {
		if here(f.Turn, segment) && d.looksFor(&f, name) {
			return true
		}
	}
	return slices.ContainsFunc(p.Additions.Fetched, func(f registry.SegmentItem[registry.Fetched]) bool {
		return f.Segment < segment && d.looksFor(&f.Item, name)
	})
}

// looksFor reports whether the query contains enough of the name's words.
func (d *instance) looksFor(f *registry.Fetched, name string) bool {
	said := map[string]bool{}
	for _, w := range similarity.Words(f.Query) {
		said[similarity.Normal(w)] = true
	}
	words := similarity.Words(name)
	n := 0
	for _, w := range words {
		if said[similarity.Normal(w)] {
			n++
		}
	}
	return n > 0 && float64(n) >= d.SearchShare*float64(len(words))
}

// fromScratch reports whether the plan of this turn or a recent one announces a build from scratch (RF02).
func (d *instance) fromScratch(p *detect.Pass) bool {
	for _, f := range p.Additions.RedFlags {
		if f.ID == "RF02" {
			return true
		}
	}
	for _, f := range p.Before.RedFlags("RF02") {
		if p.Turn.Turn-f.Turn <= d.ScratchTurns {
			return true
		}
	}
	return false
}
