package duplicate

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Conventional reports whether a symbol's name is given by a framework, a language or a habit, or
// is too short to mean one thing, or its file is one in which names repeat by design: such a name
// is not a duplicate.
func (m *Measure) Conventional(s *sessionevents.Symbol) bool {
	return m.ConventionalName(s.Name) || m.ConventionalFile(s.Path)
}

// OneWord reports whether a name is conventional for nothing but having too few
// words: `slugify`, `Debouncer`. It says enough beside a body that is alike.
func (m *Measure) OneWord(name string) bool {
	words := similarity.Words(name)
	return len(words) > 0 && len(words) < m.LeastWords && len(name) >= m.LeastLetters &&
		!m.names[strings.Join(words, "")] && !m.firstWords[words[0]] && !m.lastWords[words[len(words)-1]]
}

// ConventionalName reports whether a name is one that many things have: `main`,
// `setUp`, `test_…`, `…Props`, a single word.
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

// ConventionalFile reports whether names repeat by design in a file: a test, an
// example, a migration, generated or vendored code, prose or data.
func (m *Measure) ConventionalFile(p string) bool {
	p = strings.ToLower(p)
	base := path.Base(p)
	if m.endings[strings.TrimPrefix(path.Ext(base), ".")] || m.filePattern.MatchString(base) {
		return true
	}
	return slices.ContainsFunc(directories(p), func(d string) bool { return m.directories[d] })
}

// directories of a path, lower case; of an absolute one not the first two, which
// say where the work is done, not what it is.
func directories(p string) []string {
	list := strings.Split(strings.ToLower(path.Dir(p)), "/")
	if list[0] == "" {
		return list[min(3, len(list)):]
	}
	return list
}

// ConventionalFileName reports whether a file is called like many others, each in
// its directory: `index`, `main`, `__init__`, `page`, any single word.
func (m *Measure) ConventionalFileName(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return m.files[strings.ToLower(stem)] || strings.HasPrefix(base, ".") || strings.HasPrefix(stem, "[") || len(similarity.Words(stem)) < m.LeastWords
}
