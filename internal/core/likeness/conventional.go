package likeness

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Conventional reports whether a symbol's name is one that frameworks, languages
// and habits give, or too short to mean one thing, or its file one in which
// names repeat by design: such a name is no duplicate.
func (m *Measure) Conventional(s *events.Symbol) bool {
	return m.ConventionalName(s.Name) || m.ConventionalFile(s.Path)
}

// ConventionalName: `main`, `setUp`, `test_…`, `…Props`, a single word.
func (m *Measure) ConventionalName(name string) bool {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return true
	}
	words := similarity.Words(name)
	if len(words) < m.LeastWords || m.names[strings.Join(words, "")] {
		return true
	}
	return m.firstWords[words[0]] || m.lastWords[words[len(words)-1]]
}

// ConventionalFile: a test, an example, a migration, generated or vendored code,
// prose or data.
func (m *Measure) ConventionalFile(p string) bool {
	p = strings.ToLower(p)
	base := path.Base(p)
	if m.endings[strings.TrimPrefix(path.Ext(base), ".")] || m.filePattern.MatchString(base) {
		return true
	}
	for directory := range strings.SplitSeq(path.Dir(p), "/") {
		if m.directories[directory] {
			return true
		}
	}
	return false
}

// ConventionalFileName: `index`, `main`, `__init__`, `page`: it stands in many
// directories.
func (m *Measure) ConventionalFileName(p string) bool {
	base := strings.ToLower(path.Base(p))
	stem := strings.TrimSuffix(base, path.Ext(base))
	return m.files[stem] || strings.HasPrefix(base, ".") || strings.HasPrefix(stem, "[") || len(similarity.Words(stem)) < m.LeastWords
}

// Parallel reports whether two files stand beside each other by design: the
// implementations of one thing for several cases, versions or platforms
// (detectors/a/run.go, detectors/b/run.go), or a declaration and what it
// declares (api.d.ts, api.ts). Directories for shared code are none of these:
// utils/date.ts and helpers/date.ts.
func (m *Measure) Parallel(a, b string) bool {
	left, right := strings.Split(a, "/"), strings.Split(b, "/")
	if stem(a) == stem(b) && path.Dir(a) == path.Dir(b) {
		return a != b
	}
	if m.versions(left, right) {
		return true
	}
	if path.Base(a) != path.Base(b) || len(left) != len(right) {
		return false
	}
	for i := range left {
		if left[i] != right[i] && m.shared[left[i]] && m.shared[right[i]] {
			return false
		}
	}
	return true
}

// stem is a file's name up to its first dot after the first character.
func stem(p string) string {
	base := path.Base(p)
	if i := strings.IndexByte(base[min(1, len(base)):], '.'); i >= 0 {
		return base[:i+1]
	}
	return base
}

// versions: one has a directory v1 where the other has v2 or none.
func (m *Measure) versions(a, b []string) bool {
	isVersion := func(d string) bool { return m.version.MatchString(strings.ToLower(d)) }
	x, y := slices.IndexFunc(a, isVersion), slices.IndexFunc(b, isVersion)
	return x >= 0 && (y < 0 || a[x] != b[y]) || x < 0 && y >= 0
}
