package duplicate

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Candidate is an earlier symbol that a new one may repeat.
type Candidate struct {
	registry.Built
	// InSession reports whether this session, or the other one in Session, created it.
	// Otherwise it was in the codebase or in files that were read.
	InSession bool
	// Session is the other session of the run that created it, "" for this one (SW-1).
	Session string
	Overlap Overlap
}

// SamePlace reports whether the candidate is the new symbol's own earlier form: same
// file, container and name.
func (c *Candidate) SamePlace(s *sessionevents.Symbol) bool {
	return c.Session == "" && c.Symbol.Path == s.Path && c.Symbol.Container == s.Container && c.Symbol.Name == s.Name
}

// Candidates returns the earlier symbols that a new one may repeat, best first, at most
// `candidates.max`: symbols that still exist (not Gone), in a language that the new one
// can use, with a name similarity of at least `candidates.name` or the same body
// (`renamed`). The new symbol's Path must be the registry's (as in Additions.Built). The
// turn's own additions are left out (SW-11); the symbol's own earlier form is included
// (see SamePlace). Peers' symbols count if the peer created them (SW-1).
func (m *Measure) Candidates(p *detect.Pass, s *sessionevents.Symbol) []Candidate {
	var out []Candidate
	add := func(list []registry.Built, built bool, session string) {
		for i := range list {
			if c, ok := m.candidate(s, &list[i]); ok {
				c.InSession, c.Session = built || list[i].Times > 0, session
				out = append(out, c)
			}
		}
	}
	add(p.Before.BuiltNamed(s.Name), true, "")
	add(p.Before.Known(s.Name), false, "")
	alike := p.Before.Alike(s.Name)
	add(alike[:min(len(alike), m.config.Candidates.Alike)], false, "")
	for _, b := range m.bodies(p, s) {
		if c, ok := m.renamed(s, &b); ok {
			c.InSession = b.Times > 0
			out = append(out, c)
		}
	}
	for _, peer := range p.Peers {
		add(peer.Registry.BuiltNamed(s.Name), true, peer.Session)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Overlap.Score, a.Overlap.Score), cmp.Compare(b.Overlap.Copy, a.Overlap.Copy))
	})
	return unique(out, m.config.Candidates.Max)
}

// bodies returns the earlier functions whose body may be the new one's under another
// name.
func (m *Measure) bodies(p *detect.Pass, s *sessionevents.Symbol) []registry.Built {
	if kindOf(s) != "callable" || m.Renamed.Sample == 0 {
		return nil
	}
	return p.Before.Bodies(s.Shingles, m.Renamed.Sample)
}

// renamed compares a function with another name: it is a candidate if the bodies are the
// same.
func (m *Measure) renamed(s *sessionevents.Symbol, old *registry.Built) (Candidate, bool) {
	name := similarity.Names(s.Name, old.Symbol.Name)
	if name >= m.config.Candidates.Name || old.Gone > 0 || !m.SameFamily(s.Language, old.Symbol.Language) {
		return Candidate{}, false
	}
	c := Candidate{Built: *old, Overlap: m.compare(s, &old.Symbol, name)}
	return c, c.Overlap.SameKind && c.Overlap.Sample >= m.Renamed.Sample && c.Overlap.Copy >= m.Renamed.Similarity
}

// candidate compares one symbol; it returns false if it cannot be a duplicate.
func (m *Measure) candidate(s *sessionevents.Symbol, old *registry.Built) (Candidate, bool) {
	if old.Gone > 0 || !m.SameFamily(s.Language, old.Symbol.Language) {
		return Candidate{}, false
	}
	name := similarity.Names(s.Name, old.Symbol.Name)
	if name < m.config.Candidates.Name {
		return Candidate{}, false
	}
	return Candidate{Built: *old, Overlap: m.compare(s, &old.Symbol, name)}, true
}

// unique keeps the first of each set of equal symbols.
func unique(list []Candidate, limit int) []Candidate {
	var out []Candidate
	for i := range list {
		c := &list[i]
		if len(out) == limit {
			break
		}
		if !slices.ContainsFunc(out, func(o Candidate) bool {
			return sameThing(&o, c)
		}) {
			out = append(out, *c)
		}
	}
	return out
}

func sameThing(a, b *Candidate) bool {
	x, y := &a.Symbol, &b.Symbol
	return x.Path == y.Path && x.Container == y.Container && x.Name == y.Name && a.Session == b.Session
}

// SameFamily reports whether code in one language can use the other's; an unknown
// language may be any.
func (m *Measure) SameFamily(a, b string) bool {
	return a == b || a == "" || b == "" || m.family[a] != "" && m.family[a] == m.family[b]
}
