package registry

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// stemKey finds files by the words of their names without the ending:
// "src/rate_limiter.py" and "lib/RateLimiter.ts" share it. "" for names without words.
func stemKey(p string) string {
	base := path.Base(p)
	if key := similarity.Key(strings.TrimSuffix(base, path.Ext(base))); key != "" {
		return "\x00" + key
	}
	return ""
}

// withStem is the index key of a file's path, and that of its name's words.
func withStem(key, p string) []string {
	if stem := stemKey(p); stem != "" && stem != key {
		return []string{key, stem}
	}
	return []string{key}
}

// File is a file that the session knows.
type File struct {
	Path string
	// Turn is the first turn still held in which it was read or written; 0: it comes from the codebase
	// index.
	Turn int
	// Written says that this session wrote it.
	Written bool
}

// FilesAlike are the files whose name says the same as that of p in the same or
// other words, but for its ending: written ones first, then read ones, then
// those of the codebase index; each once, at most 50. Files that were removed
// are left out.
func (r *Registry) FilesAlike(p string) []File {
	stem := stemKey(r.Path(p))
	if stem == "" {
		return nil
	}
	var out []File
	gone := r.removedFiles(stem)
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

// removedFiles are the files with a stem whose last write removed them.
func (r *Registry) removedFiles(stem string) map[string]bool {
	var gone map[string]bool
	for _, n := range r.writes.find(stem) {
		if w := r.writes.at(n); w.Gone || gone[w.Path] {
			if gone == nil {
				gone = map[string]bool{}
			}
			gone[w.Path] = w.Gone
		}
	}
	return gone
}

// Outlined reports whether symbols of a file would be known if it had any: it
// was read or written, or there is a codebase index with symbols.
func (r *Registry) Outlined(p string) bool {
	p = r.Path(p)
	return r.built.count("p"+p) > 0 || r.learnt.count("p"+p) > 0 || len(r.codebase.symbols) > 0
}
