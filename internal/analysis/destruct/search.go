package destruct

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"
)

// Search is what find searches: folders, and the conditions before its action.
type Search struct {
	Folders    []string // relative to where the line starts
	conditions []string
}

// Named reports whether the search is for files of a name.
func (s *Search) Named() bool {
	return slices.ContainsFunc(s.conditions, func(c string) bool { return slices.Contains([]string{"-name", "-iname", "-path", "-wholename"}, c) })
}

// truth is the known value of a condition.
type truth int

const (
	no truth = iota
	maybe
	yes
)

// Chooses reports whether the search may select a file, given as a path under one of its
// folders.
func (s *Search) Chooses(folder, file string, isFolder bool) bool {
	below := strings.TrimPrefix(strings.TrimPrefix(file, folder), "/")
	depth := 0
	if below != "" {
		depth = strings.Count(below, "/") + 1
	}
	e := &expression{words: s.conditions, name: path.Base(file), below: below, depth: depth, folder: isFolder}
	return e.any() != no
}

// expression evaluates conditions for one file.
type expression struct {
	words  []string
	name   string
	below  string // relative to the folder in which the search begins
	depth  int
	folder bool
}

func (e *expression) next() string {
	if len(e.words) == 0 {
		return ""
	}
	w := e.words[0]
	e.words = e.words[1:]
	return w
}

func (e *expression) any() truth {
	result := e.all()
	for len(e.words) > 0 && (e.words[0] == "-o" || e.words[0] == "-or" || e.words[0] == ",") {
		comma := e.next() == ","
		right := e.all()
		if comma {
			result = right
		} else {
			result = max(result, right)
		}
	}
	return result
}

func (e *expression) all() truth {
	result := yes
	for len(e.words) > 0 && !slices.Contains([]string{"-o", "-or", ",", ")"}, e.words[0]) {
		if e.words[0] == "-a" || e.words[0] == "-and" {
			e.next()
			continue
		}
		result = min(result, e.one())
	}
	return result
}

// valued are conditions with a value that cannot be decided from a path.
var valued = []string{
	"-newer", "-mtime", "-atime", "-ctime", "-mmin", "-amin", "-cmin", "-size", "-user", "-group", "-perm", "-regex", "-iregex", "-regextype", "-uid", "-gid",
	"-newermt", "-links", "-inum", "-samefile", "-fstype", "-context", "-lname", "-ilname", "-anewer", "-cnewer", "-used",
}

func (e *expression) one() truth {
	switch w := e.next(); w {
	case "!", "-not":
		return yes - e.one()
	case "(":
		inside := e.any()
		e.next()
		return inside
	case "-name":
		return truly(Matches(e.next(), e.name))
	case "-iname":
		return truly(Matches(strings.ToLower(e.next()), strings.ToLower(e.name)))
	case "-path", "-wholename", "-ipath", "-iwholename":
		pattern := strings.TrimPrefix(e.next(), "./")
		return truly(Matches(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(e.below, "/", "\x01")))
	case "-type", "-xtype":
		return truly(strings.Contains(e.next(), "d") == e.folder)
	case "-maxdepth":
		return truly(e.depth <= number(e.next()))
	case "-mindepth":
		return truly(e.depth >= number(e.next()))
	case "-false":
		return no
	default:
		if slices.Contains(valued, w) {
			e.next()
			return maybe
		}
		if w == "-empty" || w == "-executable" || w == "-readable" || w == "-writable" || w == "-nouser" || w == "-nogroup" {
			return maybe
		}
	}
	return yes
}

func truly(is bool) truth {
	if is {
		return yes
	}
	return no
}

func number(word string) int {
	n := 0
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// searched returns the search of a find before the action that begins at one of its
// words.
func searched(args []string, directory string, action int) *Search {
	s := &Search{Folders: starts(args, directory)}
	from := slices.IndexFunc(args, func(a string) bool { return isFlag(a) && a != "-L" && a != "-H" && a != "-P" || a == "(" || a == "!" })
	for k := max(from, 0); k < action && from >= 0; k++ {
		word := clean(args[k])
		if word == "-exec" || word == "-execdir" || word == "-ok" || word == "-okdir" {
			for k < action && args[k] != ";" && args[k] != "+" {
				k++
			}
			continue
		}
		s.conditions = append(s.conditions, word)
	}
	return s
}

// Matches reports whether a shell's pattern matches a whole path, * and ? within one folder. One that is
// invalid is the name as written, as for the shell, and so may any other be that was quoted or escaped: a file can be
// called "[id].tsx".
func Matches(form, name string) bool {
	if form == name {
		return true
	}
	if !strings.Contains(form, "[") {
		matched, err := path.Match(form, name)
		return matched || err != nil
	}
	expression, err := pattern.Regexp(form, shellNames)
	if err != nil {
		return false
	}
	matched, err := regexp.MatchString(expression, name)
	return matched || err != nil
}

const shellNames = pattern.Filenames | pattern.EntireString | pattern.NoGlobStar | pattern.GlobLeadingDot
