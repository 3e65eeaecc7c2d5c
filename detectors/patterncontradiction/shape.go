package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/families"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

type (
	// structures finds a class that departs from what its folder's files have in common.
	structures struct{ *turn }
	// layers finds the announcement of a layer that exists (RF03).
	layers struct{ *turn }
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
func (k *structures) placeOfFile(file string, s *sessionevents.Segment) (place, bool) {
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
		if !k.Roles[role] {
			if role = singular(path.Base(path.Dir(file))); !k.Roles[role] {
				continue
			}
		}
		p := place{key: path.Dir(file) + "\x00" + role, role: role, name: symbol.Name, bases: symbol.Bases}
		for _, module := range s.Imports {
			if part := families.LastPart(module); k.StructureWords[strings.Join(similarity.Words(part), " ")] {
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
func (k *structures) learnStructure(file string, s *sessionevents.Segment) {
	if len(s.Symbols) == 0 || len(s.Accesses) != 1 || s.Accesses[0].From > 1 {
		return
	}
	p, ok := k.placeOfFile(file, s)
	if !ok {
		return
	}
	m := k.memory
	if m.Groups == nil {
		m.Groups = map[string]*group{}
	}
	g := m.Groups[p.key]
	if g == nil {
		if len(m.Groups) >= k.Limits.Groups {
			delete(m.Groups, oldest(m.Groups, func(g *group) int { return g.Last }))
		}
		g = &group{Path: file, Turn: k.Pass.Turn.Turn, Bases: map[string]int{}, Uses: map[string]int{}}
		m.Groups[p.key] = g
	}
	g.Last = k.Pass.Turn.Turn
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
func (k *structures) structureOf(e *edit) {
	s := e.segment
	if s.Diff.Op != sessionevents.DiffCreate || e.rewritten || len(s.Symbols) == 0 || len(k.memory.Groups) == 0 {
		return
	}
	p, ok := k.placeOfFile(e.file, s)
	if !ok {
		return
	}
	g := k.memory.Groups[p.key]
	if g == nil || len(g.Files) < k.SimilarPlaces {
		return
	}
	if base := common(g.Bases, len(g.Files)); base != "" && !slices.Contains(p.bases, base) {
		k.departs(e, &p, g, base, "builds on "+quote.Name(base))
	} else if module := common(g.Uses, len(g.Files)); module != "" && !slices.Contains(p.uses, module) {
		k.departs(e, &p, g, module, "uses "+quote.Name(module))
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

func (k *structures) departs(e *edit, p *place, g *group, established, does string) {
	at := max(strings.Index(e.text, p.name), 0)
	evidence := detect.At(e.segment, at, len(p.name))
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: g.Turn, Path: g.Path, What: established}
	declared := slices.ContainsFunc(k.Before.Conventions, func(c sessionevents.Convention) bool {
		return !c.Inferred && (c.Wrapper == established || code.Holds(c.Rule, established))
	})
	cost := layerCost
	if declared {
		cost = contraryCost
	}
	k.report(contradiction{
		subclass: "structure", thing: p.name, established: established, cost: cost, confidence: k.Confidence.Structure,
		known: true, logOnly: !declared, evidence: evidence,
		message: fmt.Sprintf("%s in %s is built otherwise: each %s of that folder read so far (%d, such as %s) %s. Do the same.", quote.Name(p.name), quote.Path(e.file), quote.Name(p.role), len(g.Files), quote.Path(g.Path), does),
		reason:  fmt.Sprintf("%d files of %s agree on %s, %s does not.", len(g.Files), quote.Path(path.Dir(e.file)), quote.Name(established), quote.Name(p.name)),
	})
}

// newLayer judges "I'll create a new S service / layer / module" (RF03) where one of that kind
// exists.
func (k *layers) newLayer(flag *sessionevents.RedFlagHit) {
	segment := k.segment(flag.Segment)
	found := k.Layer.FindStringSubmatch(flag.Sentence)
	if segment == nil || found == nil {
		return
	}
	domain := strings.ToLower(text.Line(strings.ReplaceAll(found[k.Layer.SubexpIndex("domain")], "`", "")))
	kind := strings.ToLower(found[k.Layer.SubexpIndex("kind")])
	thing := strings.TrimSpace(domain + " " + kind)
	existing := k.existingLayer(domain, kind)
	if existing == nil {
		return
	}
	evidence := detect.At(segment, flag.Offset, flag.Length)
	evidence.ConflictsWith = existing
	k.report(contradiction{
		subclass: "layer", thing: thing, established: existing.What, cost: layerCost, confidence: k.Confidence.Layer,
		known: k.knows(existing.What) || k.readFile(existing.Path), lexical: segment, evidence: evidence,
		message: fmt.Sprintf("The plan creates a new %s, but %s exists already (%s). Extend it instead.", quote.Plain(thing), quote.Name(existing.What), quote.Path(existing.Path)),
		reason:  fmt.Sprintf("A layer of that kind stands already: %s in %s.", quote.Name(existing.What), quote.Path(existing.Path)),
	})
}

// existingLayer returns what exists of a layer: "data access layer" → the files and classes of
// repositories; "email service" → EmailService, or a file of that name among the services. It
// returns nil if nothing is known.
func (k *layers) existingLayer(domain, kind string) *sessionevents.EarlierEvent {
	if kind == "layer" || kind == "abstraction" {
		for _, layer := range k.Layers {
			if slices.Contains(layer.Said, domain) {
				return k.placeOf(layer.Words)
			}
		}
	}
	words := similarity.Words(domain)
	if !slices.ContainsFunc(words, func(w string) bool { return !k.LayerSuffixes[w] && !k.PlainDomains[w] }) {
		return nil
	}
	return k.classOf(words, kind)
}

// placeOf is a folder or class that bears a layer's name.
func (k *layers) placeOf(words []string) *sessionevents.EarlierEvent {
	for _, file := range k.knownFiles() {
		for _, part := range strings.Split(strings.ToLower(path.Dir(file)), "/") {
			if slices.Contains(words, part) && !k.exempt(file) {
				return &sessionevents.EarlierEvent{Path: file, What: path.Dir(file)}
			}
		}
	}
	for _, word := range words {
		for _, b := range k.Before.Alike(word) {
			name := similarity.Words(b.Symbol.Name)
			if isClass(&b) && len(name) > 1 && slices.Contains(words, name[len(name)-1]) && !k.exempt(b.Symbol.Path) {
				return &sessionevents.EarlierEvent{Turn: b.Turn, Path: b.Symbol.Path, Line: b.Symbol.Line, What: b.Symbol.Name}
			}
		}
	}
	return nil
}

// classOf is a class of a layer that bears all of the words: EmailService for
// "email service"; a file says as much.
func (k *layers) classOf(words []string, kind string) *sessionevents.EarlierEvent {
	for _, b := range k.Before.Alike(strings.Join(words, " ") + " " + kind) {
		name := similarity.Words(b.Symbol.Name)
		if isClass(&b) && b.Gone == 0 && k.isLayerName(name, words) && !k.exempt(b.Symbol.Path) {
			return &sessionevents.EarlierEvent{Turn: b.Turn, Path: b.Symbol.Path, Line: b.Symbol.Line, What: b.Symbol.Name}
		}
	}
	for _, file := range k.knownFiles() {
		base := strings.TrimSuffix(path.Base(file), path.Ext(file))
		folder := strings.TrimSuffix(strings.ToLower(path.Base(path.Dir(file))), "s")
		name := similarity.Words(base)
		if k.LayerSuffixes[folder] {
			name = append(name, folder)
		}
		if k.isLayerName(name, words) && !k.exempt(file) {
			return &sessionevents.EarlierEvent{Path: file, What: path.Base(file)}
		}
	}
	return nil
}

func isClass(b *registry.Built) bool {
	switch b.Symbol.Kind {
	case "class", "interface", "type", "module":
		return b.Gone == 0
	}
	return false
}
