package duplicate

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Parallel reports whether two files are parallel by design: the implementations of one thing for
// several cases, versions or platforms (detectors/a/run.go, detectors/b/run.go), or a declaration
// and what it declares (api.d.ts, api.ts). Directories for shared code do not count: utils/date.ts
// and helpers/date.ts.
func (l *Layout) Parallel(a, b string) bool {
	left, right := strings.Split(a, "/"), strings.Split(b, "/")
	if l.Variants(a, b) {
		return true
	}
	if path.Base(a) != path.Base(b) || len(left) != len(right) {
		return false
	}
	others := 0
	for i := range left {
		if left[i] == right[i] {
			continue
		}
		others++
		if l.SharedDirectories[left[i]] && l.SharedDirectories[right[i]] || l.sharesCode(left[i]) || l.sharesCode(right[i]) {
			return false
		}
	}
	return others == 1
}

// sharesCode reports whether a directory holds code for all others:
// common/rate_limiter.py makes a second desk/rate_limiter.py unnecessary.
func (l *Layout) sharesCode(dir string) bool {
	return l.SharedDirectories[dir] && dir != "src" && dir != "core"
}

// Variants reports whether two files have the same content by design, whatever it is: a
// declaration and what it declares, versions, platforms, copies of the tree. Unlike
// Parallel it excludes files that merely share a name in two directories.
func (l *Layout) Variants(a, b string) bool {
	if stem(a) == stem(b) && path.Dir(a) == path.Dir(b) {
		return a != b
	}
	left, right := strings.Split(a, "/"), strings.Split(b, "/")
	return l.versions(left, right) || l.worktree(left, right) || l.platforms(a, b)
}

// platforms reports whether two files of one directory differ in name only by their
// platform: lock_unix.go and lock_windows.go, or lock.go and one of them.
func (l *Layout) platforms(a, b string) bool {
	if path.Dir(a) != path.Dir(b) {
		return false
	}
	x, one := l.withoutPlatform(stem(a))
	y, two := l.withoutPlatform(stem(b))
	return (one || two) && x == y
}

// withoutPlatform removes the platform words from the end of a name.
func (l *Layout) withoutPlatform(name string) (string, bool) {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' })
	end := len(parts)
	for end > 1 && slices.Contains(l.Platforms, strings.ToLower(parts[end-1])) {
		end--
	}
	return strings.Join(parts[:end], "_"), end < len(parts)
}

// stem returns a file's name up to its first dot after the first character.
func stem(p string) string {
	base := path.Base(p)
	if i := strings.IndexByte(base[min(1, len(base)):], '.'); i >= 0 {
		return base[:i+1]
	}
	return base
}

// versions reports whether one path has a directory v1 where the other has v2 or none.
func (l *Layout) versions(a, b []string) bool {
	isVersion := func(d string) bool { return l.Version.MatchString(strings.ToLower(d)) }
	x, y := slices.IndexFunc(a, isVersion), slices.IndexFunc(b, isVersion)
	return x >= 0 && (y < 0 || a[x] != b[y]) || x < 0 && y >= 0
}

// worktree reports whether one path is the other in a copy of the whole tree, "src/a.ts"
// and ".worktrees/feature/src/a.ts".
func (l *Layout) worktree(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	from := slices.IndexFunc(b, func(d string) bool {
		return slices.ContainsFunc(similarity.Words(d), func(w string) bool { return slices.Contains(l.Worktrees, w) })
	})
	if from < 0 || from >= len(b)-1 {
		return false
	}
	end := 0
	for end < len(a) && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return end > 0 && len(a)-end <= from
}

// Scratch reports whether a file is short-lived: a reproduction or a check at the top of
// the workspace.
func (l *Layout) Scratch(p string) bool {
	words := similarity.Words(path.Base(p))
	return !strings.Contains(p, "/") && len(words) > 0 && l.ScriptBeginnings[words[0]]
}

// Script reports whether a file is run by hand rather than imported, according to its
// place, name and text (part of it is sufficient): a reproduction, a check, a file of
// scripts/.
func (l *Layout) Script(p, text string) bool {
	if slices.ContainsFunc(directories(p), func(d string) bool { return l.ScriptDirectories[d] }) {
		return true
	}
	return l.Scratch(p) || slices.ContainsFunc(l.ScriptMarks, func(mark string) bool { return strings.Contains(text, mark) })
}

// OtherPackage reports whether two files belong to parts that cannot import each other
// directly: client and server, packages/a and packages/b, the workspace and what is
// outside it.
func (l *Layout) OtherPackage(a, b string) bool {
	if path.IsAbs(a) != path.IsAbs(b) {
		return true
	}
	x, y := l.packageOf(a), l.packageOf(b)
	return x != y && (x != "" || y != "")
}

// packageOf returns the directory that identifies a file's part of the system, "" if the
// path has none.
func (l *Layout) packageOf(p string) string {
	list := directories(p)
	for i, d := range list {
		switch {
		case l.Packages[d] && i+1 < len(list):
			return d + "/" + list[i+1]
		case i == 0 && l.Sides[d]:
			return d
		}
	}
	return ""
}

// Private reports whether code in another file cannot use a symbol: it has a leading
// underscore, or in Go a lower-case initial and is in another directory.
func (l *Layout) Private(s *sessionevents.Symbol, from string) bool {
	if slices.ContainsFunc(l.PrivatePrefixes, func(prefix string) bool { return strings.HasPrefix(s.Name, prefix) }) {
		return true
	}
	small := s.Name != "" && strings.ToLower(s.Name[:1]) == s.Name[:1]
	return l.SmallIsPrivate[s.Language] && small && path.Dir(s.Path) != path.Dir(from)
}

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
