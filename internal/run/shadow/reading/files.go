package reading

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// FileNames recognizes the names of files in a text.
type FileNames struct {
	// Endings are file name extensions without the full stop, in lower case as they are
	// usually written: "foo.Then" is the end of a sentence.
	Endings []string
	Names   []string // files without an ending
	Never   []string // names that only look like files: node.js

	endings, names, never map[string]bool
}

// Compile compiles the tables.
func (f *FileNames) Compile() {
	f.endings, f.names, f.never = setOf(f.Endings), setOf(f.Names), setOf(f.Never)
}

func setOf(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, item := range list {
		out[item] = true
	}
	return out
}

// Place is a file with the line, if one is named.
type Place struct {
	Path string
	Line int // from 1; 0 unknown
}

var (
	address = pattern.Must(`[a-zA-Z][a-zA-Z0-9+.-]*://\S+`)
	token   = pattern.Must(`[\w@.+~/\\-]*\w(?::\d+)?`)
)

// Find returns the files that a text names, in order, each path once.
func (f *FileNames) Find(text string) []Place {
	var out []Place
	for _, word := range token.FindAllString(address.ReplaceAllString(text, " "), -1) {
		place, ok := f.place(word)
		if ok && !slices.ContainsFunc(out, func(o Place) bool { return o.Path == place.Path }) {
			out = append(out, place)
		}
	}
	return out
}

var folder = pattern.Must("(?:^|[\\s`'\"(])((?:\\./)?(?:[\\w@.+-]+/)+)(?:\\*\\*(?:/\\*)?|\\*)?(?:$|[\\s`'\")\\],.;:])")

// Folders returns the folders that a text names, recognized by the trailing slash, which
// is kept.
func Folders(text string) []string {
	var out []string
	for _, m := range folder.FindAllStringSubmatch(address.ReplaceAllString(text, " "), -1) {
		if name := CleanPath(m[1]) + "/"; len(name) > 1 && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// place reads "internal/x.go:12".
func (f *FileNames) place(word string) (Place, bool) {
	name, number, _ := strings.Cut(word, ":")
	number = strings.TrimLeft(number, "0")
	lineNumber, err := strconv.Atoi(number)
	if err != nil || lineNumber > 1<<30 {
		lineNumber = 0
	}
	name = CleanPath(strings.TrimLeft(name, "-+~@"))
	base := path.Base(name)
	if f.names[base] {
		return Place{name, lineNumber}, true
	}
	dot := strings.LastIndexByte(base, '.')
	if dot <= 0 || !f.endings[base[dot+1:]] || f.never[strings.ToLower(base)] {
		return Place{}, false
	}
	return Place{name, lineNumber}, true
}

// CleanPath returns a path in a uniform form: forward slashes, without a leading "./".
func CleanPath(name string) string {
	name = strings.ReplaceAll(strings.TrimSpace(name), `\`, "/")
	if name == "" {
		return ""
	}
	return path.Clean(name)
}

// SameFile reports whether two paths name one file; one may be absolute and the
// other relative to the repository.
func SameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	return a == b || strings.HasPrefix(a, "/") && strings.HasSuffix(a, "/"+b) || strings.HasPrefix(b, "/") && strings.HasSuffix(b, "/"+a)
}

// Covers reports whether a name in a plan covers a file: the file itself, a folder
// that contains it, or a pattern.
func Covers(planned, file string) bool {
	planned, folder := strings.CutSuffix(planned, "/")
	if planned == "" {
		return false
	}
	if planned == "." || SameFile(planned, file) {
		return true
	}
	if strings.ContainsAny(planned, "*?[") {
		return globbed(planned, file)
	}
	isFolder := folder || path.Ext(planned) == ""
	return isFolder && (strings.HasPrefix(file, planned+"/") || strings.HasPrefix(file, "/") && strings.Contains(file, "/"+planned+"/"))
}

func globbed(pattern, file string) bool {
	if before, _, ok := strings.Cut(pattern, "/**"); ok {
		return Covers(before+"/", file)
	}
	ok, err := path.Match(pattern, file)
	if err == nil && !ok && !strings.Contains(pattern, "/") {
		ok, err = path.Match(pattern, path.Base(file))
	}
	return err == nil && ok
}
