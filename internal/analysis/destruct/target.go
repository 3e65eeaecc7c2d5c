package destruct

import (
	"path"
	"slices"
	"strings"
)

// braces removes the braces of a variable: "${TMPDIR}".
var braces = strings.NewReplacer("{", "", "}", "")

// under returns a path relative to a folder.
func under(folder, name string) string {
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "$") || folder == "" {
		if name == "" {
			return ""
		}
		return path.Clean(name)
	}
	return path.Join(folder, name)
}

// Temporary reports whether a path leads to a place where nothing is kept.
func (r *Reader) Temporary(name string) bool {
	if r.temporary(name) {
		return true
	}
	for _, part := range strings.Split(strings.ToLower(name), "/") {
		words := strings.FieldsFunc(part, func(c rune) bool { return c == '-' || c == '_' || c == '.' || c == '*' })
		if len(words) > 0 && (slices.Contains(r.config.Temporary.Words, words[0]) || slices.Contains(r.config.Temporary.Words, words[len(words)-1])) {
			return true
		}
	}
	return false
}

// temporary reports whether a path is in a temporary folder.
func (r *Reader) temporary(name string) bool {
	for _, folder := range r.config.Temporary.Folders {
		if strings.HasPrefix(name, folder) && (len(name) == len(folder) || name[len(folder)] == '/' || name[len(folder)] == '\\') {
			return name != folder+"/*" && (name != folder || folder == "/dev/null")
		}
	}
	variable := braces.Replace(name)
	if !strings.HasPrefix(variable, "$") {
		return false
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(variable[1:], `\`, "/"), "/")
	first, _, _ = strings.Cut(first, ":-")
	return slices.Contains(r.config.Temporary.Variables, first)
}

// TemporaryPlace reports whether an absolute path leads to a temporary folder or a known
// cache. What is in the person's home or in the workspace is not temporary because of
// where those are.
func (r *Reader) TemporaryPlace(name string, facts Facts) bool {
	home := facts.Home()
	if home != "" && strings.HasPrefix(name+"/", home+"/") {
		return slices.ContainsFunc(r.config.Temporary.Caches, func(c string) bool { return strings.HasPrefix(name+"/", path.Join(home, c)+"/") })
	}
	if slices.ContainsFunc(facts.Roots(), func(root string) bool { return strings.HasPrefix(name+"/", root+"/") }) {
		return false
	}
	return slices.ContainsFunc(r.config.Temporary.Folders, func(f string) bool { return strings.HasPrefix(name, f+"/") })
}

// Rebuilt reports whether a path, by its name, is something that a build, an install or a
// run recreates.
func (r *Reader) Rebuilt(name string) bool {
	if r.Precious(name) || systemPath(name) {
		return false
	}
	trimmed := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(name, "/**"), "/*"), "/")
	parts := strings.Split(trimmed, "/")
	last := parts[len(parts)-1]
	if slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(r.config.Rebuilt.Anywhere, p) }) {
		return true
	}
	if slices.ContainsFunc(r.config.Rebuilt.Endings, func(e string) bool { return len(last) > len(e) && strings.HasSuffix(last, e) }) {
		return true
	}
	return slices.ContainsFunc(parts[max(0, len(parts)-2):], func(p string) bool { return slices.Contains(r.config.Rebuilt.AtEnd, p) })
}

// Precious reports whether a file is one that Git seldom holds and that cannot be
// recreated.
func (r *Reader) Precious(name string) bool {
	base := path.Base(strings.TrimRight(name, "/"))
	if slices.Contains(r.config.PreciousExcept, base) {
		return false
	}
	return slices.ContainsFunc(r.config.Precious, func(p string) bool { return matches(base, p) })
}

// Link reports whether a path is in a folder that holds links by custom, so that its removal loses no content.
func (r *Reader) Link(name string) bool { return r.config.Links.MatchString(name) }

// matches compares a name with a pattern that may begin or end with *.
func matches(name, form string) bool {
	begin, end, star := strings.Cut(form, "*")
	if !star {
		return name == form
	}
	return len(name) > len(begin)+len(end) && strings.HasPrefix(name, begin) && strings.HasSuffix(name, end)
}

// testData reports whether a database is used only by tests.
func (r *Reader) testData(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return strings.ContainsRune("_-./:@?&=0123456789", c) })
	return slices.Contains(r.config.TestData, name) || slices.ContainsFunc(words, func(w string) bool { return slices.Contains(r.config.TestData, w) }) ||
		r.temporary(name)
}

// onTests reports whether a setting of a command, a variable or a flag, says that it works on what only
// tests use.
func (r *Reader) onTests(line string) bool {
	words := strings.Fields(line)
	for k, word := range words {
		name, value, is := strings.Cut(word, "=")
		if !is && k+1 < len(words) {
			value = words[k+1]
		}
		if slices.Contains(r.config.TestSettings, name) && r.testData(path.Base(value)) { // of a URL, the database
			return true
		}
	}
	return false
}

// Shared reports whether others build on a branch.
func (r *Reader) Shared(branch string) bool {
	branch = strings.TrimPrefix(branch, "refs/heads/")
	return slices.Contains(r.config.SharedBranches, branch) || strings.HasPrefix(branch, "release/") || strings.HasPrefix(branch, "release-")
}

// Common reports whether a process's name is that of a program that many things run on.
func (r *Reader) Common(name string) bool {
	return slices.Contains(r.config.CommonPrograms, strings.TrimSuffix(path.Base(strings.Trim(name, "^$\"'")), ".exe"))
}
