package registry

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
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
func (j *journal) FilesRead() []FileRead { return j.reads.all() }

// Fetches returns the searches, listings and fetches with a FetchKey.
func (j *journal) Fetches(key string) []Fetched { return j.fetched.with(key) }

// FetchedAll returns all searches, listings and fetches still held.
func (j *journal) FetchedAll() []Fetched { return j.fetched.all() }

// WrittenSince reports whether a file may have changed in turn or later, through anyone:
// by a write of that file, or by one that may have changed any file. Two paths match if
// one ends with the other, so that an absolute and a relative spelling agree.
func (r *Registry) WrittenSince(p string, turn int) bool { return r.WrittenAfter(p, turn, -1) }

// WrittenAfter is WrittenSince for what follows a segment of a turn.
func (r *Registry) WrittenAfter(p string, turn, segment int) bool {
	if after(&r.anyWrite, turn, segment) || after(&r.lostWrite, turn, segment) {
		return true
	}
	return r.wrote(r.Path(p), turn, segment)
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

// BuiltIn returns the symbols this session built in a file.
func (r *Registry) BuiltIn(p string) []Built { return r.built.with("p" + r.Path(p)) }

// DecisionsAbout returns the decisions whose topic, choice or rejected alternative shares
// a content word with topic, newest first.
func (j *journal) DecisionsAbout(topic string) []Decision {
	var numbers []int
	for _, term := range prose.Terms(topic) {
		numbers = append(numbers, j.decisions.find(term)...)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	var out []Decision
	for _, n := range slices.Backward(numbers) {
		out = append(out, *j.decisions.at(n))
	}
	return out
}

// Decisions returns all decisions still held.
func (j *journal) Decisions() []Decision { return j.decisions.all() }

// DiffsOf returns the edits of a file.
func (r *Registry) DiffsOf(p string) []DiffRecord { return r.diffs.with(r.Path(p)) }

// Diffs returns all edits still held.
func (j *journal) Diffs() []DiffRecord { return j.diffs.all() }

// RedFlags returns the red flags with an id ("RF01"), or all of them for "".
func (j *journal) RedFlags(id string) []sessionevents.RedFlagHit {
	if id == "" {
		return j.flags.all()
	}
	return j.flags.with(id)
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

// SketchSizes returns the sizes k to use when comparing stored sketches.
func (r *Registry) SketchSizes() Sketches { return r.config.Sketches }
