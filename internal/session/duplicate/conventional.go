package duplicate

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Conventional reports whether a symbol's name is prescribed by a framework, a language
// or a convention, or is too short to be specific, or whether names in its file repeat by
// design: such a name is not a duplicate.
func (m *Measure) Conventional(s *sessionevents.Symbol) bool {
	return m.ConventionalName(s.Name) || m.ConventionalFile(s.Path)
}

// OneWord reports whether a name is conventional only for having too few words:
// `slugify`, `Debouncer`. Together with a similar body such a name is specific enough.
func (m *Measure) OneWord(name string) bool {
	words := similarity.Words(name)
	return len(words) > 0 && len(words) < m.LeastWords && len(name) >= m.LeastLetters &&
		!m.names[strings.Join(words, "")] && !m.FirstWords[words[0]] && !m.LastWords[words[len(words)-1]]
}

// ConventionalName reports whether many things share a name: `main`, `setUp`, `test_…`,
// `…Props`, a single word.
func (m *Measure) ConventionalName(name string) bool {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return true
	}
	words := similarity.Words(name)
	if len(words) < m.LeastWords || m.names[strings.Join(words, "")] {
		return true
	}
	return m.FirstWords[words[0]] || m.LastWords[words[len(words)-1]]
}

// ConventionalFile reports whether names in a file repeat by design: a test, an example,
// a migration, generated or vendored code, prose or data.
func (m *Measure) ConventionalFile(p string) bool {
	dirs, base := directories(p), strings.ToLower(path.Base(p))
	within := strings.Join(append(dirs, path.Base(p)), "/")
	if m.files.Is(within, byDesign) || m.FileEndings[strings.TrimPrefix(path.Ext(base), ".")] ||
		m.FilePatterns.MatchString(base) {
		return true
	}
	return slices.ContainsFunc(dirs, func(d string) bool { return m.Directories[d] })
}

// byDesign are kinds of files in which names repeat by design.
const byDesign = files.AnyTest | files.Document | files.Generated | files.Lock | files.Vendored | files.Example |
	files.Data | files.Configuration

// directories returns the directories of a path in lower case. For an absolute path the
// first two are left out, since they say where the work is done, not what it is.
func directories(p string) []string {
	list := strings.Split(strings.ToLower(path.Dir(p)), "/")
	if list[0] == "" {
		return list[min(3, len(list)):]
	}
	return list
}

// ConventionalFileName reports whether many files in different directories share a file's
// name: `index`, `main`, `__init__`, `page`, any single word.
func (m *Measure) ConventionalFileName(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return m.Files[strings.ToLower(stem)] || strings.HasPrefix(base, ".") || strings.HasPrefix(stem, "[") || len(similarity.Words(stem)) < m.LeastWords
}
