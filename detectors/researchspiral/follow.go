package researchspiral

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Half points for a retrieval, depending on what it follows from.
const (
	linked   = 2
	halfway  = 1 // only in the same directory as one that follows from something
	unlinked = 0
)

// follow weighs the turn's calls and records what they retrieved and what their results
// name.
func (d *instance) follow(m *memory, p *detect.Pass) []retrieval {
	all := d.retrievals(p)
	rest := all
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		n := 0
		for n < len(rest) && rest[n].segment == s.Index {
			n++
		}
		d.weigh(m, p, rest[:n])
		rest = rest[n:]
		d.learn(m, s)
	}
	return all
}

// weigh counts one call, which may search several places, by the retrieval that follows
// best.
func (d *instance) weigh(m *memory, p *detect.Pass, call []retrieval) {
	r, best, repeats, counts := &m.Run, unlinked, false, false
	for i := range call {
		c := &call[i]
		points, repeat := d.link(m, p, c)
		best, repeats = max(best, points), repeats || repeat
		counts = counts || !d.orientation(c) || points == linked
		r.Seen = text.Newest(append(r.Seen, seen{hash(c.key), hash(c.target), hash(c.folder()), points == linked}), d.Remembered)
		r.Names = text.Newest(append(r.Names, c.name()), d.NamesInMessage)
	}
	if !counts {
		return
	}
	r.Calls++
	r.Linked += best
	if repeats && best == unlinked {
		r.Repeats++
	}
}

// orientation reports whether a retrieval is a listing, or a file that describes the
// project: neither focused nor aimless.
func (d *instance) orientation(c *retrieval) bool {
	return c.kind == sessionevents.AccessList || c.kind == sessionevents.AccessRead && d.Overviews[label(c.target)]
}

// link returns how well a retrieval follows from the task or from earlier results of the
// run. A repetition follows from nothing.
func (d *instance) link(m *memory, p *detect.Pass, c *retrieval) (points int, repeat bool) {
	key, target, folder := hash(c.key), hash(c.target), hash(c.folder())
	deeper, near := false, false
	for _, s := range m.Run.Seen {
		if s.Key == key {
			return unlinked, true
		}
		deeper = deeper || s.Target == target && c.kind == sessionevents.AccessRead
		near = near || s.Linked && s.Folder == folder
	}
	switch {
	case deeper, d.asked(p.Baseline(), c), d.referred(m, p, c):
		return linked, false
	case near:
		return halfway, false
	}
	return unlinked, false
}

// asked reports whether the task names what a retrieval looks for.
func (d *instance) asked(b *registry.Baseline, c *retrieval) bool {
	for _, named := range b.Paths {
		if c.target == named || strings.HasSuffix(c.target, "/"+named) || strings.HasSuffix(named, "/"+c.target) ||
			strings.HasPrefix(c.target, strings.TrimSuffix(named, "/")+"/") {
			return true
		}
	}
	terms, said := d.terms(c), 0
	for _, w := range terms {
		if _, ok := b.Terms[w]; ok {
			said++
		}
	}
	return said > 0 && float64(said) >= d.SameWords*float64(len(terms))
}

// referred reports whether an earlier result of the run names it: in its first or last
// lines, among its imports, or as a symbol.
func (d *instance) referred(m *memory, p *detect.Pass, c *retrieval) bool {
	for _, name := range c.labels {
		if slices.Contains(m.References, hash(name)) {
			return true
		}
	}
	found := false
	eachName(c.query, func(name string, _ bool) {
		if found {
			return
		}
		for _, known := range p.Before.Known(name) {
			found = found || known.Symbol.Name == name && known.Last >= m.Run.From
		}
	})
	return found
}

// learn stores the names in a result. A listing names everything, so it is ignored.
func (d *instance) learn(m *memory, s *sessionevents.Segment) {
	if s.Result == nil || s.Kind != sessionevents.SegmentTool || s.Result.IsError {
		return
	}
	for _, a := range s.Accesses {
		if a.Kind == sessionevents.AccessList || a.Kind == sessionevents.AccessSearch && strings.Contains(a.Query, "*.") {
			return
		}
	}
	add := func(name string) {
		if h := hash(name); !slices.Contains(m.References, h) {
			m.References = text.Newest(append(m.References, h), d.References)
		}
	}
	for _, said := range []string{s.Result.Head, s.Result.Tail} {
		eachName(said, func(name string, sure bool) {
			if sure {
				add(strings.ToLower(name))
			}
		})
	}
	for _, name := range s.Imports[:min(len(s.Imports), d.References/2)] {
		add(label(name))
	}
}
