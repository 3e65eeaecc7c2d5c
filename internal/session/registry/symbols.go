package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// symbols are those that the session built, learnt from what it read, and had before it began.
type symbols struct {
	built    collection[Built]
	learnt   collection[Built]
	codebase codebase
}

// Index keys of symbols: "n" exact name, "k" normalised words, "w" each word,
// "p" path.
func symbolKeys(b *Built) []string {
	key := similarity.Key(b.Symbol.Name)
	keys := []string{"n" + b.Symbol.Name, "k" + key}
	if b.Symbol.Path != "" {
		keys = append(keys, "p"+b.Symbol.Path)
	}
	for _, w := range strings.Fields(key) {
		keys = append(keys, "w"+w)
	}
	return keys
}

// Limits of lookups by word.
const (
	maxKnown   = 50
	rareWords  = 2   // words of a name by which candidates are found
	maxPosting = 200 // entries checked per word
)

// commit applies removals, edits and new symbols in an order in which they cannot
// undo each other: first what disappears, then what exists afterwards.
func (s *symbols) commit(t *Turn) {
	for _, i := range t.Removed {
		s.remove(i.Item)
	}
	for _, i := range t.Learnt {
		s.learn(i.Item)
	}
	for _, i := range t.Edited {
		if !update(&s.built, i.Item) {
			s.learn(i.Item)
		}
	}
	for _, i := range t.Built {
		if !update(&s.built, i.Item) {
			s.built.add(i.Item)
		}
	}
}

// update refreshes a symbol that is already held and keeps its first turn.
func update(c *collection[Built], b Built) bool {
	for _, n := range c.find("n" + b.Symbol.Name) {
		if placeOf(&c.at(n).Symbol) == placeOf(&b.Symbol) {
			c.change(n, func(old *Built) {
				b.Turn, b.Times = old.Turn, old.Times+b.Times
				*old = b
			})
			return true
		}
	}
	return false
}

// learn records a symbol that was seen. One that this session built stays marked as
// built.
func (s *symbols) learn(b Built) {
	for _, n := range s.built.find("n" + b.Symbol.Name) {
		if old := s.built.at(n); old.Gone == 0 && placeOf(&old.Symbol) == placeOf(&b.Symbol) {
			return
		}
	}
	b.Times = 0
	if !update(&s.learnt, b) {
		s.learnt.add(b)
	}
}

// remove marks a symbol, or everything in a file or directory, as gone.
func (s *symbols) remove(b Built) {
	if b.Symbol.Name == "" {
		s.removeUnder(b.Symbol.Path+"/", b.Gone)
	}
	for _, c := range []*collection[Built]{&s.built, &s.learnt} {
		for _, n := range c.find("p" + b.Symbol.Path) {
			if name := c.at(n).Symbol.Name; b.Symbol.Name == "" || name == b.Symbol.Name {
				c.change(n, func(old *Built) { old.Gone = b.Gone })
			}
		}
	}
}

// removeUnder marks the symbols in a directory's files as gone.
func (s *symbols) removeUnder(prefix string, turn int) {
	for _, c := range []*collection[Built]{&s.built, &s.learnt} {
		for n := c.first; n < c.first+len(c.ring); n++ {
			if strings.HasPrefix(c.at(n).Symbol.Path, prefix) {
				c.change(n, func(old *Built) { old.Gone = turn })
			}
		}
	}
}

// BuiltNamed returns the symbols this session built with that name or a synonymous one,
// exact names first.
func (s *symbols) BuiltNamed(name string) []Built { return named(&s.built, name) }

// FunctionsBuilt returns all built symbols still held.
func (s *symbols) FunctionsBuilt() []Built { return s.built.all() }

// Known returns the symbols with that name or a synonymous one in the codebase index or in files
// that were read: exact names first, at most 50. Symbols built in this session are left out.
func (s *symbols) Known(name string) []Built {
	out := named(&s.learnt, name)
	s.codebase.prepare()
	for _, key := range []string{"n" + name, "k" + similarity.Key(name)} {
		for _, p := range s.codebase.postings(s.codebase.names, key) {
			if len(out) < maxKnown {
				out = append(out, s.codebase.at(p.symbol))
			}
		}
	}
	return exactFirst(dedupe(out), name)
}

// Alike returns symbols, built or known, that share rare words with a name, as candidates
// for a comparison by similarity.Names: at most 50, built ones first, newest first.
func (s *symbols) Alike(name string) []Built {
	words := s.rareWords(name)
	a := alike{seen: map[place]bool{}}
	for _, c := range []*collection[Built]{&s.built, &s.learnt} {
		for _, w := range words {
			for _, n := range slices.Backward(c.find("w" + w)) {
				a.add(*c.at(n))
			}
		}
	}
	for _, w := range words {
		list := s.codebase.postings(s.codebase.words, "w"+w)
		for _, p := range list[:min(len(list), maxPosting)] {
			if len(a.out) >= maxKnown {
				break
			}
			a.add(s.codebase.at(p.symbol))
		}
	}
	return a.out
}

// rareWords returns the words of a name that the fewest symbols share, but at least one.
func (s *symbols) rareWords(name string) []string {
	s.codebase.prepare()
	frequency := map[string]int{}
	words := slices.DeleteFunc(strings.Fields(similarity.Key(name)), func(w string) bool {
		frequency[w] = s.built.count("w"+w) + s.learnt.count("w"+w) + len(s.codebase.postings(s.codebase.words, "w"+w))
		return frequency[w] == 0
	})
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(frequency[a], frequency[b]) })
	return words[:min(len(words), rareWords)]
}

// Bodies returns the functions, built or read, whose body sketch shares one of its
// smallest shingles with the given one, in which to look for a copy under another name.
// Bodies with fewer shingles than least are too short. At most 50, built ones first,
// newest first.
func (s *symbols) Bodies(sketch []uint32, least int) []Built {
	if len(sketch) < least {
		return nil
	}
	var out []Built
	for _, c := range []*collection[Built]{&s.built, &s.learnt} {
		for _, b := range slices.Backward(c.all()) {
			if len(out) == maxKnown {
				return out
			}
			if len(b.Symbol.Shingles) >= least && b.Gone == 0 && begins(sketch, b.Symbol.Shingles) {
				out = append(out, b)
			}
		}
	}
	return out
}

// CodebaseFiles returns the files of session.opened.
func (s *symbols) CodebaseFiles() []string {
	var out []string
	for _, f := range s.codebase.files {
		out = append(out, s.codebase.strings[f])
	}
	return out
}

// alike collects symbols, each once, up to the limit.
type alike struct {
	seen map[place]bool
	out  []Built
}

func (a *alike) add(b Built) {
	if key := placeOf(&b.Symbol); len(a.out) < maxKnown && !a.seen[key] {
		a.seen[key] = true
		a.out = append(a.out, b)
	}
}

// named finds by exact name and by normalised words.
func named(c *collection[Built], name string) []Built {
	out := c.with("n" + name)
	for _, b := range c.with("k" + similarity.Key(name)) {
		if b.Symbol.Name != name {
			out = append(out, b)
		}
	}
	return out
}

func placeOf(s *sessionevents.Symbol) place { return place{s.Path, s.Container, s.Name} }

func dedupe(list []Built) []Built {
	seen := map[place]bool{}
	out := list[:0]
	for _, b := range list {
		if key := placeOf(&b.Symbol); !seen[key] {
			seen[key] = true
			out = append(out, b)
		}
	}
	return out
}

func exactFirst(list []Built, name string) []Built {
	slices.SortStableFunc(list, func(a, b Built) int {
		return boolRank(a.Symbol.Name == name) - boolRank(b.Symbol.Name == name)
	})
	return list
}

func boolRank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// begins reports whether two sketches share one of their first shingles, which two copies
// almost always do.
func begins(a, b []uint32) bool {
	const first = 4
	for _, x := range a[:first] {
		if slices.Contains(b[:first], x) {
			return true
		}
	}
	return false
}

// place identifies a symbol.
type place struct{ path, container, name string }
