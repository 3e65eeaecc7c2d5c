package disguisedbuild

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// split removes a variant's mark from the start or end of a name's words: FooV2 gives foo and v2, a
// strong mark.
func (d *instance) split(words []string) (base []string, word string, how mark) {
	n := len(words)
	if n == 0 {
		return nil, "", noMark
	}
	last := words[n-1]
	if bare := strings.TrimRight(last, "0123456789"); bare != last && bare != "" && d.marks[last] == noMark {
		if how := d.marks[last[len(bare):]]; how != noMark {
			return append(slices.Clone(words[:n-1]), bare), last[len(bare):], how
		}
	}
	if n == 1 {
		return nil, "", noMark
	}
	if how := d.marks[last]; how != noMark {
		return words[:n-1], last, how
	}
	if how := d.marks[words[0]]; how != noMark {
		return words[1:], words[0], how
	}
	return nil, "", noMark
}

// variant returns a twin if a new symbol's name is a variant of an existing one's.
func (n *names) variant(b *registry.SegmentItem[registry.Built]) (twin, bool) {
	s := &b.Item.Symbol
	base, word, how := n.split(similarity.Words(s.Name))
	if how == noMark {
		return twin{}, false
	}
	for _, old := range n.standing(base) {
		o := &old.Symbol
		if n.constructs(s, o, word) || !n.beside(s, o) {
			continue
		}
		old.Overlap = n.measure.Compare(s, o)
		if !old.Overlap.SameKind || n.goes(o) || n.uses(b.Segment, o) && !n.recursiveCopy(b.Segment, &old) || n.byConvention(s, word) {
			return twin{}, false
		}
		t := n.judged(b, old, how)
		t.mark = word
		return t, true
	}
	return twin{}, false
}

// judged weighs a mark by the similarity of the bodies.
func (n *names) judged(b *registry.SegmentItem[registry.Built], old duplicate.Candidate, how mark) twin {
	o := &old.Overlap
	t := twin{segment: b.Segment, symbol: b.Item.Symbol, old: old, subclass: "variant", duplicated: n.duplicated(o)}
	switch {
	case how == strongMark && o.OtherPurpose && o.Body.Value < n.WeakBody:
		t.confidence, t.logOnly = n.config.Confidence.Doubtful, "the bodies have little in common"
	case t.duplicated && (how == strongMark || !isType(&t.symbol)):
		t.confidence = n.config.Confidence.Confirmed
	case how == strongMark:
		t.confidence = n.config.Confidence.Strong
	case n.confirmed(&t.symbol, &t.old):
		t.confidence = n.config.Confidence.Weak
	case o.OtherPurpose:
		t.confidence, t.logOnly = n.config.Confidence.Doubtful, "the bodies have little in common"
	default:
		t.confidence, t.logOnly = n.config.Confidence.Doubtful, nameOnly
	}
	return t
}

// duplicated reports whether the new thing repeats the old one's control flow or data handling.
func (d *instance) duplicated(o *duplicate.Overlap) bool {
	return o.Body.Known && o.Sample >= d.Sample && o.Body.Value >= d.Body
}

// confirmed reports whether a part of the body, or parameters and calls, match; for types
// most of the body must, since a type for one more case repeats fields by design.
func (n *names) confirmed(s *sessionevents.Symbol, old *duplicate.Candidate) bool {
	o := &old.Overlap
	switch {
	case o.OtherPurpose:
		return false
	case isType(s):
		return n.covered(o)
	case o.Body.Known && o.Sample >= n.Sample && o.Body.Value >= n.WeakBody:
		return true
	}
	return n.sameCalls(s, old, n.WeakCalls) && o.Signature.Known && o.Signature.Value >= n.Signature
}

// covered reports whether the old body contains most of the new one.
func (d *instance) covered(o *duplicate.Overlap) bool {
	return o.Body.Known && o.Sample >= d.Sample && o.Body.Value >= d.Covers
}

// sameCalls reports whether enough names are called and the call sets are similar by at
// least share.
func (d *instance) sameCalls(s *sessionevents.Symbol, old *duplicate.Candidate, share float64) bool {
	o := &old.Overlap
	return !o.OtherPurpose && o.Calls.Known && o.Calls.Value >= share && min(len(s.Calls), len(old.Symbol.Calls)) >= d.LeastCalls
}

// standing returns the existing symbols with exactly these words, built or known,
// including those that peers built (SW-1).
func (t *turn) standing(words []string) []duplicate.Candidate {
	name := strings.Join(words, "_")
	var out []duplicate.Candidate
	add := func(list []registry.Built, built bool, session string) {
		for i := range list {
			b := &list[i]
			if b.Gone == 0 && !t.skips(b.Symbol.Path) && slices.Equal(similarity.Words(b.Symbol.Name), words) {
				out = append(out, duplicate.Candidate{Built: *b, InSession: built, Session: session})
			}
		}
	}
	add(t.Before.BuiltNamed(name), true, "")
	add(t.Before.Known(name), false, "")
	for _, peer := range t.Peers {
		add(peer.Registry.BuiltNamed(name), true, peer.Session)
	}
	return out
}

// beside reports whether one symbol can be used in place of the other: they have the same
// language and class, or no class; methods of other files' classes cannot.
func (n *names) beside(s, old *sessionevents.Symbol) bool {
	if !n.measure.SameFamily(s.Language, old.Language) || n.measure.Parallel(s.Path, old.Path) && s.Path != old.Path {
		return false
	}
	if s.Path == old.Path {
		return s.Container == old.Container || s.Container == "" || old.Container == ""
	}
	return s.Container == "" && old.Container == "" && s.Kind != "method" && old.Kind != "method"
}

// constructs reports whether the mark is `new` before a type's name, which constructs the
// type.
func (n *names) constructs(s, old *sessionevents.Symbol, word string) bool {
	return word == "new" && (slices.Contains(n.Constructors, s.Language) || isType(old) != isType(s))
}

func isType(s *sessionevents.Symbol) bool {
	return s.Kind == "class" || s.Kind == "interface" || s.Kind == "type"
}

// byConvention reports whether other visible names have the same mark as well as a plain
// form.
func (n *names) byConvention(s *sessionevents.Symbol, word string) bool {
	for _, b := range n.Before.Alike(word) {
		words := similarity.Words(b.Symbol.Name)
		base, other, _ := n.split(words)
		if other == word && b.Symbol.Name != s.Name && b.Gone == 0 && len(n.standing(base)) > 0 {
			return true
		}
	}
	return false
}
