package registry

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// stemKey returns a key made of the words of a file name without its extension, which
// "src/rate_limiter.py" and "lib/RateLimiter.ts" share. It is "" for names without words.
func stemKey(p string) string {
	base := path.Base(p)
	if key := similarity.Key(strings.TrimSuffix(base, path.Ext(base))); key != "" {
		return "\x00" + key
	}
	return ""
}

// withStem returns the index keys of a file: its path, and the words of its name.
func withStem(key, p string) []string {
	if stem := stemKey(p); stem != "" && stem != key {
		return []string{key, stem}
	}
	return []string{key}
}

// File is a file known to the session.
type File struct {
	Path string
	// Turn is the first turn still held in which it was read or written; 0 if it comes
	// from the codebase index.
	Turn int
	// Written reports whether this session wrote it.
	Written bool
}

// FilesAlike returns the files whose names, apart from the extension, have the same or
// synonymous words as that of p: written ones first, then read ones, then those of the
// codebase index; each once, at most 50. Removed files are left out.
func (r *Registry) FilesAlike(p string) []File {
	stem := stemKey(r.Path(p))
	if stem == "" {
		return nil
	}
	var out []File
	gone := r.removed(stem)
	add := func(f File) {
		if len(out) < maxKnown && !gone[f.Path] && !slices.ContainsFunc(out, func(o File) bool { return o.Path == f.Path }) {
			out = append(out, f)
		}
	}
	for _, n := range r.writes.find(stem) {
		w := r.writes.at(n)
		add(File{Path: w.Path, Turn: w.Turn, Written: !w.Elsewhere})
	}
	for _, n := range r.reads.find(stem) {
		f := r.reads.at(n)
		add(File{Path: f.Path, Turn: f.Turn})
	}
	r.codebase.prepare()
	for _, found := range r.codebase.postings(r.codebase.stems, stem) {
		add(File{Path: r.codebase.strings[found.symbol]})
	}
	return out
}

// Outlined reports whether symbols of a file would be known: it was read or written, or
// there is a codebase index with symbols.
func (r *Registry) Outlined(p string) bool {
	p = r.Path(p)
	return r.built.count("p"+p) > 0 || r.learnt.count("p"+p) > 0 || len(r.codebase.symbols) > 0
}

// written is what was written, by path.
type written struct {
	writes collection[FileWritten]
	// The last write that may have changed any file, and the last evicted write.
	anyWrite, lostWrite FileWritten
}

// write records a write. An evicted write is remembered as a write of any file, so that a
// lookup errs on the side of "may have changed".
func (w *written) add(f FileWritten) {
	if f.Path == "" {
		w.anyWrite = f
		return
	}
	if old, full := w.writes.next(); full {
		w.lostWrite = old
	}
	w.writes.add(f)
}

// FilesWritten returns all writes still held.
func (w *written) FilesWritten() []FileWritten { return w.writes.all() }

// WroteUnknown reports whether the session wrote something of which the file is not known.
func (w *written) WroteUnknown() bool {
	return after(&w.anyWrite, 0, -1) || after(&w.lostWrite, 0, -1)
}

func (w *written) wrote(p string, turn, segment int) bool {
	for _, n := range w.writes.find(path.Base(p)) {
		if f := w.writes.at(n); SameFile(f.Path, p) && after(f, turn, segment) {
			return true
		}
	}
	return false
}

// removedFiles returns the files with a stem whose last write removed them.
func (w *written) removed(stem string) map[string]bool {
	var gone map[string]bool
	for _, n := range w.writes.find(stem) {
		if f := w.writes.at(n); f.Gone || gone[f.Path] {
			if gone == nil {
				gone = map[string]bool{}
			}
			gone[f.Path] = f.Gone
		}
	}
	return gone
}

// Commit folds in the result of Digest. Turns are committed in order of arrival, each
// once.
func (r *Registry) Commit(t *Turn) {
	for _, i := range t.FilesRead {
		r.reads.add(i.Item)
	}
	for _, i := range t.FilesWritten {
		r.written.add(i.Item)
	}
	for _, i := range t.Fetched {
		r.fetched.add(i.Item)
	}
	r.symbols.commit(t)
	for _, d := range t.Decisions {
		r.decisions.add(d)
	}
	for _, i := range t.Diffs {
		r.diffs.add(i.Item)
	}
	for _, p := range t.plans {
		r.plans.add(p)
	}
	for _, f := range t.RedFlags {
		f.Sentence = shorten(f.Sentence, r.config.Limits.TextBytes)
		r.flags.add(f)
	}
	if len(t.Requests) > 0 {
		r.Baseline = t.Baseline
	}
	r.Counters.count(t)
}

// WroteElsewhere records the writes of another session's turn, if both work in one
// workspace: what was read before may have changed, and what was built may be gone
// (SW-1).
func (r *Registry) WroteElsewhere(other *Registry, t *Turn) {
	if r.workspace != other.workspace || r.Counters.Turns == 0 {
		return
	}
	for _, i := range t.FilesWritten {
		w := i.Item
		w.Turn, w.Segment, w.Elsewhere = r.Counters.Turns, endOfTurn, true
		r.written.add(w)
	}
}

// endOfTurn orders a write after all segments of its turn.
const endOfTurn = 1 << 20

// count counts what a turn did.
func (c *Counters) count(t *Turn) {
	c.Turns++
	c.Diffs += len(t.Diffs)
	c.Errors += t.Errors
	// A turn that neither researches nor has an effect does not change the count.
	if t.Effect {
		c.ResearchTurns = 0
	} else if t.Research {
		c.ResearchTurns++
	}
	if t.Compacted {
		c.LastCompacted = t.Number
	}
	if len(t.Requests) > 0 {
		c.LastUserTurn = t.Number
	}
}
