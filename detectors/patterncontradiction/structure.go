package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// group is what the files of one folder and role have in common: how many were
// seen, and how many of them build on each base and import each module of how
// they register themselves or report errors.
type group struct {
	Files []uint32       `json:"f"`
	Path  string         `json:"p"` // the first of them
	Turn  int            `json:"n"`
	Last  int            `json:"l"`
	Bases map[string]int `json:"b,omitempty"`
	Uses  map[string]int `json:"u,omitempty"`
}

// groupFiles and groupNames bound a group.
const (
	groupFiles = 8
	groupNames = 6
)

// place is what the role of a file's class says: folder and role, and what it
// builds on and imports.
type place struct {
	key   string
	role  string
	name  string
	bases []string
	uses  []string
}

// placeOfFile reads a file's role from its first class that has one: UserHandler in
// handlers/user.py is a handler of handlers/. Without such a class the file has no role.
func (t *turn) placeOfFile(file string, s *sessionevents.Segment) (place, bool) {
	for i := range s.Symbols {
		symbol := &s.Symbols[i]
		if symbol.Kind != "class" || symbol.Local {
			continue
		}
		words := similarity.Words(symbol.Name)
		role := ""
		if len(words) > 0 {
			role = words[len(words)-1]
		}
		if !t.Roles[role] {
			if role = singular(path.Base(path.Dir(file))); !t.Roles[role] {
				continue
			}
		}
		p := place{key: path.Dir(file) + "\x00" + role, role: role, name: symbol.Name, bases: symbol.Bases}
		for _, module := range s.Imports {
			if part := families.LastPart(module); t.StructureWords[strings.Join(similarity.Words(part), " ")] {
				p.uses = append(p.uses, part)
			}
		}
		return p, true
	}
	return place{}, false
}

func singular(folder string) string {
	folder = strings.ToLower(folder)
	if stem, ok := strings.CutSuffix(folder, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(folder, "s")
}

// learnStructure notes the structure of a file that was read as a whole.
func (t *turn) learnStructure(file string, s *sessionevents.Segment) {
	if len(s.Symbols) == 0 || len(s.Accesses) != 1 || s.Accesses[0].From > 1 {
		return
	}
	p, ok := t.placeOfFile(file, s)
	if !ok {
		return
	}
	m := t.memory
	if m.Groups == nil {
		m.Groups = map[string]*group{}
	}
	g := m.Groups[p.key]
	if g == nil {
		if len(m.Groups) >= t.Limits.Groups {
			delete(m.Groups, oldest(m.Groups, func(g *group) int { return g.Last }))
		}
		g = &group{Path: file, Turn: t.Pass.Turn.Turn, Bases: map[string]int{}, Uses: map[string]int{}}
		m.Groups[p.key] = g
	}
	g.Last = t.Pass.Turn.Turn
	if hash := hashOf(file); len(g.Files) < groupFiles && !slices.Contains(g.Files, hash) {
		g.Files = append(g.Files, hash)
		count(g.Bases, p.bases)
		count(g.Uses, p.uses)
	}
}

func count(into map[string]int, names []string) {
	for _, name := range names {
		if _, known := into[name]; known || len(into) < groupNames {
			into[name]++
		}
	}
}

// structureOf reports a new file whose class departs from what all files of its
// folder and role, three at least, have in common. It is logged only, but where a
// declared convention names what they share.
func (t *turn) structureOf(e *edit) {
	s := e.segment
	if s.Diff.Op != sessionevents.DiffCreate || e.rewritten || len(s.Symbols) == 0 || len(t.memory.Groups) == 0 {
		return
	}
	p, ok := t.placeOfFile(e.file, s)
	if !ok {
		return
	}
	g := t.memory.Groups[p.key]
	if g == nil || len(g.Files) < t.SimilarPlaces {
		return
	}
	if base := common(g.Bases, len(g.Files)); base != "" && !slices.Contains(p.bases, base) {
		t.departs(e, &p, g, base, "builds on "+quote.Name(base))
	} else if module := common(g.Uses, len(g.Files)); module != "" && !slices.Contains(p.uses, module) {
		t.departs(e, &p, g, module, "uses "+quote.Name(module))
	}
}

// common is the name that all of n files have, the first in order of the
// alphabet; "" for none.
func common(names map[string]int, n int) string {
	best := ""
	for name, seen := range names {
		if seen == n && (best == "" || name < best) {
			best = name
		}
	}
	return best
}

func (t *turn) departs(e *edit, p *place, g *group, established, does string) {
	at := max(strings.Index(e.text, p.name), 0)
	evidence := detect.At(e.segment, at, len(p.name))
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: g.Turn, Path: g.Path, What: established}
	declared := slices.ContainsFunc(t.Before.Conventions, func(c sessionevents.Convention) bool {
		return !c.Inferred && (c.Wrapper == established || containsName(c.Rule, established))
	})
	cost := layerCost
	if declared {
		cost = contraryCost
	}
	t.report(contradiction{
		subclass: "structure", thing: p.name, established: established, cost: cost, confidence: t.Confidence.Structure,
		known: true, logOnly: !declared, evidence: evidence,
		message: fmt.Sprintf("%s in %s is built otherwise: each %s of that folder read so far (%d, such as %s) %s. Do the same.", quote.Name(p.name), quote.Path(e.file), quote.Name(p.role), len(g.Files), quote.Path(g.Path), does),
		reason:  fmt.Sprintf("%d files of %s agree on %s, %s does not.", len(g.Files), quote.Path(path.Dir(e.file)), quote.Name(established), quote.Name(p.name)),
	})
}
