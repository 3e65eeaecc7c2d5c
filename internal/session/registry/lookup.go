package registry

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Lookups are bounded by the collections' limits and return copies, oldest first unless
// stated otherwise. Paths may be given as the agent wrote them; see Path.

// Covers reports whether the read includes lines from–to (0, 0: the whole file). A read
// of an unknown part (negative lines) covers nothing.
func (f *FileRead) Covers(from, to int) bool {
	switch {
	case f.From < 0 || from < 0:
		return false
	case f.From <= 1 && f.To == 0:
		return true
	case from == 0 && to == 0, f.From > max(from, 1):
		return false
	}
	return f.To == 0 || to > 0 && to <= f.To
}

// Key returns the key that equal searches, listings or fetches share.
func (f *Fetched) Key() string { return FetchKey(f.Kind, f.Target, f.Query) }

// FetchKey returns the canonical key of a search, listing or fetch.
func FetchKey(kind sessionevents.AccessKind, target, query string) string {
	return string(kind) + "\x00" + target + "\x00" + query
}

// Reads returns the reads of a file.
func (r *Registry) Reads(p string) []FileRead { return r.reads.with(r.Path(p)) }

// FilesRead returns all reads still held.
func (r *Registry) FilesRead() []FileRead { return r.reads.all() }

// FilesWritten returns all writes still held.
func (r *Registry) FilesWritten() []FileWritten { return r.writes.all() }

// Fetches returns the searches, listings and fetches with a FetchKey.
func (r *Registry) Fetches(key string) []Fetched { return r.fetched.with(key) }

// FetchedAll returns all searches, listings and fetches still held.
func (r *Registry) FetchedAll() []Fetched { return r.fetched.all() }

// WrittenSince reports whether a file may have changed in turn or later, through anyone:
// by a write of that file, or by one that may have changed any file. Two paths match if
// one ends with the other, so that an absolute and a relative spelling agree.
func (r *Registry) WrittenSince(p string, turn int) bool { return r.WrittenAfter(p, turn, -1) }

// WrittenAfter is WrittenSince for what follows a segment of a turn.
func (r *Registry) WrittenAfter(p string, turn, segment int) bool {
	if after(&r.anyWrite, turn, segment) || after(&r.lostWrite, turn, segment) {
		return true
	}
	return r.wrote(p, turn, segment)
}

// WroteUnknown reports whether the session wrote something of which the file is not known.
func (r *Registry) WroteUnknown() bool {
	return after(&r.anyWrite, 0, -1) || after(&r.lostWrite, 0, -1)
}

func (r *Registry) wrote(p string, turn, segment int) bool {
	p = r.Path(p)
	for _, n := range r.writes.find(path.Base(p)) {
		if w := r.writes.at(n); SameFile(w.Path, p) && after(w, turn, segment) {
			return true
		}
	}
	return false
}

func after(w *FileWritten, turn, segment int) bool {
	return w.Turn > 0 && (w.Turn > turn || w.Turn == turn && w.Segment > segment)
}

// SameFile reports whether two paths may be one file: they are equal, or one is the end of the
// other, as either may be relative to the workspace.
func SameFile(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return a == b || b != "" && strings.HasSuffix(a, "/"+b)
}

// BuiltNamed returns the symbols this session built with that name or a synonymous one,
// exact names first.
func (r *Registry) BuiltNamed(name string) []Built { return named(&r.built, name) }

// BuiltIn returns the symbols this session built in a file.
func (r *Registry) BuiltIn(p string) []Built { return r.built.with("p" + r.Path(p)) }

// FunctionsBuilt returns all built symbols still held.
func (r *Registry) FunctionsBuilt() []Built { return r.built.all() }

// Known returns the symbols with that name or a synonymous one in the codebase index or in files
// that were read: exact names first, at most 50. Symbols built in this session are left out.
func (r *Registry) Known(name string) []Built {
	out := named(&r.learnt, name)
	r.codebase.prepare()
	for _, key := range []string{"n" + name, "k" + similarity.Key(name)} {
		for _, p := range r.codebase.postings(r.codebase.names, key) {
			if len(out) < maxKnown {
				out = append(out, r.codebase.at(p.symbol))
			}
		}
	}
	return exactFirst(dedupe(out), name)
}

// Limits of lookups by word.
const (
	maxKnown   = 50
	rareWords  = 2   // words of a name by which candidates are found
	maxPosting = 200 // entries checked per word
)

// Alike returns symbols, built or known, that share rare words with a name, as candidates
// for a comparison by similarity.Names: at most 50, built ones first, newest first.
func (r *Registry) Alike(name string) []Built {
	words := r.rareWords(name)
	a := alike{seen: map[place]bool{}}
	for _, c := range []*collection[Built]{&r.built, &r.learnt} {
		for _, w := range words {
			for _, n := range slices.Backward(c.find("w" + w)) {
				a.add(*c.at(n))
			}
		}
	}
	for _, w := range words {
		list := r.codebase.postings(r.codebase.words, "w"+w)
		for _, p := range list[:min(len(list), maxPosting)] {
			if len(a.out) >= maxKnown {
				break
			}
			a.add(r.codebase.at(p.symbol))
		}
	}
	return a.out
}

// rareWords returns the words of a name that the fewest symbols share, but at least one.
func (r *Registry) rareWords(name string) []string {
	r.codebase.prepare()
	frequency := map[string]int{}
	words := slices.DeleteFunc(strings.Fields(similarity.Key(name)), func(w string) bool {
		frequency[w] = r.built.count("w"+w) + r.learnt.count("w"+w) + len(r.codebase.postings(r.codebase.words, "w"+w))
		return frequency[w] == 0
	})
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(frequency[a], frequency[b]) })
	return words[:min(len(words), rareWords)]
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

// place identifies a symbol.
type place struct{ path, container, name string }

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

// CodebaseFiles returns the files of session.opened.
func (r *Registry) CodebaseFiles() []string {
	var out []string
	for _, f := range r.codebase.files {
		out = append(out, r.codebase.strings[f])
	}
	return out
}

// DecisionsAbout returns the decisions whose topic, choice or rejected alternative shares
// a content word with topic, newest first.
func (r *Registry) DecisionsAbout(topic string) []Decision {
	var numbers []int
	for _, term := range prose.Terms(topic) {
		numbers = append(numbers, r.decisions.find(term)...)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	var out []Decision
	for _, n := range slices.Backward(numbers) {
		out = append(out, *r.decisions.at(n))
	}
	return out
}

// Decisions returns all decisions still held.
func (r *Registry) Decisions() []Decision { return r.decisions.all() }

// DiffsOf returns the edits of a file.
func (r *Registry) DiffsOf(p string) []DiffRecord { return r.diffs.with(r.Path(p)) }

// Diffs returns all edits still held.
func (r *Registry) Diffs() []DiffRecord { return r.diffs.all() }

// RedFlags returns the red flags with an id ("RF01"), or all of them for "".
func (r *Registry) RedFlags(id string) []sessionevents.RedFlagHit {
	if id == "" {
		return r.flags.all()
	}
	return r.flags.with(id)
}

// CompactedSince reports whether the context was compacted after a turn, which means
// before a later one.
func (r *Registry) CompactedSince(turn int) bool {
	return r.Counters.LastCompacted > 0 && r.Counters.LastCompacted > turn
}

// PlanMatch is an earlier plan sentence with a similar meaning.
type PlanMatch struct {
	Turn       int
	Similarity float64 // Jaccard of word stems, 0–1
}

// SimilarPlan returns the earlier PLAN sentence most similar to a sentence, the earliest
// of equally similar ones; false if none reaches atLeast.
func (r *Registry) SimilarPlan(sentence string, atLeast float64) (PlanMatch, bool) {
	record, ok := r.config.planRecord(0, sentence)
	if !ok {
		return PlanMatch{}, false
	}
	var best PlanMatch
	for _, p := range r.plans.all() {
		o := similarity.Compare(record.Shingles, p.Shingles, r.config.Sketches.Sentence)
		if o.Jaccard > best.Similarity {
			best = PlanMatch{Turn: p.Turn, Similarity: o.Jaccard}
		}
	}
	return best, best.Similarity > 0 && best.Similarity >= atLeast
}

// SketchSizes returns the sizes k to use when comparing stored sketches.
func (r *Registry) SketchSizes() Sketches { return r.config.Sketches }

// Bodies returns the functions, built or read, whose body sketch shares one of its
// smallest shingles with the given one, in which to look for a copy under another name.
// Bodies with fewer shingles than least are too short. At most 50, built ones first,
// newest first.
func (r *Registry) Bodies(sketch []uint32, least int) []Built {
	if len(sketch) < least {
		return nil
	}
	var out []Built
	for _, c := range []*collection[Built]{&r.built, &r.learnt} {
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
