package duplicate

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
)

// OneWord reports whether a name is conventional only for having too few words:
// `slugify`, `Debouncer`. Together with a similar body such a name is specific enough.
func (c *Conventions) OneWord(name string) bool {
	words := similarity.Words(name)
	return len(words) > 0 && len(words) < c.LeastWords && len(name) >= c.LeastLetters &&
		!c.names[strings.Join(words, "")] && !c.FirstWords[words[0]] && !c.LastWords[words[len(words)-1]]
}

// ConventionalName reports whether many things share a name: `main`, `setUp`, `test_…`,
// `…Props`, a single word.
func (c *Conventions) ConventionalName(name string) bool {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return true
	}
	words := similarity.Words(name)
	if len(words) < c.LeastWords || c.names[strings.Join(words, "")] {
		return true
	}
	return c.FirstWords[words[0]] || c.LastWords[words[len(words)-1]]
}

// ConventionalFile reports whether names in a file repeat by design: a test, an example,
// a migration, generated or vendored code, prose or data.
func (c *Conventions) ConventionalFile(p string) bool {
	dirs, base := directories(p), strings.ToLower(path.Base(p))
	within := strings.Join(append(dirs, path.Base(p)), "/")
	if c.files.Is(within, byDesign) || c.FileEndings[strings.TrimPrefix(path.Ext(base), ".")] ||
		c.FilePatterns.MatchString(base) {
		return true
	}
	return slices.ContainsFunc(dirs, func(d string) bool { return c.Directories[d] })
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
func (c *Conventions) ConventionalFileName(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return c.Files[strings.ToLower(stem)] || strings.HasPrefix(base, ".") || strings.HasPrefix(stem, "[") || len(similarity.Words(stem)) < c.LeastWords
}
