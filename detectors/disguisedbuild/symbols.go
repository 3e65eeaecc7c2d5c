package disguisedbuild

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// names are new symbols whose names vary those of others.
type names struct{ *turn }

// find returns the new symbols that vary or duplicate an existing one.
func (n *names) find() []twin {
	var out []twin
	for i := range n.Additions.Built {
		b := &n.Additions.Built[i]
		s := &b.Item.Symbol
		if n.skips(s.Path) {
			continue
		}
		t, found := n.variant(b)
		if !found {
			t, found = n.second(b)
		}
		if found && !rewritten(n.Pass, s) && !n.standsByDesign(&n.Turn.Segments[b.Segment]) {
			out = append(out, t)
		}
	}
	return out
}

// rewritten reports whether the file contained a symbol of that name before, so that this
// edits it or restores a removed one.
func rewritten(p *detect.Pass, s *sessionevents.Symbol) bool {
	here := func(b registry.Built) bool { return b.Symbol.Name == s.Name && b.Symbol.Path == s.Path }
	return slices.ContainsFunc(p.Before.BuiltNamed(s.Name), here) || slices.ContainsFunc(p.Before.Known(s.Name), here)
}

// second returns a twin if an existing function of the same module does the work of a new
// one except for one more case: all of its words are in the new name, and most of the new
// body or of its calls match.
func (n *names) second(b *registry.SegmentItem[registry.Built]) (twin, bool) {
	s := &b.Item.Symbol
	if isType(s) || len(s.Shingles) < n.BodyShingles || n.measure.ConventionalName(s.Name) {
		return twin{}, false
	}
	words := similarity.Words(s.Name)
	for _, c := range n.measure.Candidates(n.Pass, s) {
		old, o := &c.Symbol, &c.Overlap
		if !o.SameKind || old.Name == s.Name || path.Dir(old.Path) != path.Dir(s.Path) || n.skips(old.Path) || !n.beside(s, old) || !n.special(words, similarity.Words(old.Name)) {
			continue
		}
		same := n.sameCalls(s, &c, n.config.Calls)
		if !n.covered(o) && !same || n.goes(old) || n.uses(b.Segment, old) || n.family(old) {
			continue
		}
		t := twin{segment: b.Segment, symbol: *s, old: c, subclass: "second", confidence: n.config.Confidence.Second, duplicated: n.duplicated(o)}
		switch {
		case !t.duplicated:
			t.confidence, t.logOnly = n.config.Confidence.Doubtful, "only names and calls agree"
		case !n.sameHead(words, similarity.Words(old.Name)):
			t.confidence, t.logOnly = n.config.Confidence.Doubtful, otherHead
		}
		return t, true
	}
	return twin{}, false
}

// special reports whether the new name is a specialization of the old one: neither
// another thing (id, email) nor the other half of a pair (async, all).
func (d *instance) special(words, old []string) bool {
	left := slices.Clone(words)
	for _, w := range old {
		at := slices.IndexFunc(left, func(o string) bool { return similarity.Normal(o) == similarity.Normal(w) })
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return !slices.ContainsFunc(left, func(w string) bool { return d.Paired[w] })
}

// sameHead reports whether both names are about the same thing: they end in the same word
// (guest orders, orders), or what follows it only names the case.
func (d *instance) sameHead(words, old []string) bool {
	if len(old) == 0 {
		return false
	}
	head := similarity.Normal(old[len(old)-1])
	at := slices.IndexFunc(words, func(w string) bool { return similarity.Normal(w) == head })
	rest := words[at+1:]
	return len(rest) == 0 || d.Cases[rest[0]] || strings.HasSuffix(rest[0], "ly")
}

// family reports whether the old symbol is itself one of several that differ by one word
// (intSlice, boolSlice), so that one more is conventional.
func (n *names) family(old *sessionevents.Symbol) bool {
	words, members := similarity.Words(old.Name), 0
	for _, b := range n.Before.Alike(old.Name) {
		other := similarity.Words(b.Symbol.Name)
		if b.Gone > 0 || len(other) != len(words) || path.Dir(b.Symbol.Path) != path.Dir(old.Path) {
			continue
		}
		differ := 0
		for i := range words {
			if words[i] != other[i] {
				differ++
			}
		}
		if differ == 1 {
			members++
		}
	}
	return members >= n.FamilyMembers
}

// inSegment returns the twins of one segment.
func inSegment(list []twin, segment int) []twin {
	return slices.DeleteFunc(slices.Clone(list), func(t twin) bool { return t.segment != segment })
}

// covers measures how much of a new file's symbols an existing file contains.
func (c *copies) covers(s *sessionevents.Segment, file string) (covered, duplicated bool) {
	n, same, copied := 0, 0, 0
	for i := range c.Additions.Built {
		b := &c.Additions.Built[i]
		if b.Segment != s.Index || len(b.Item.Symbol.Shingles) < c.BodyShingles {
			continue
		}
		n++
		for _, old := range c.measure.Candidates(c.Pass, &b.Item.Symbol) {
			if old.Symbol.Path != file || old.Session != "" {
				continue
			}
			if c.duplicated(&old.Overlap) {
				same, copied = same+1, copied+1
			} else if c.sameCalls(&b.Item.Symbol, &old, c.config.Calls) {
				same++
			}
			break
		}
	}
	return n > 0 && 2*same >= n, n > 0 && 2*copied >= n
}
