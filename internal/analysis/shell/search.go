package shell

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Query returns the canonical form of a search: the flags that affect its results,
// sorted, then the pattern. Two searches with the same query are equal.
func Query(flags []string, pattern string) string {
	flags = slices.Clone(flags)
	slices.Sort(flags)
	return strings.TrimSpace(strings.Join(append(slices.Compact(flags), pattern), " "))
}

// search handles grep and similar commands.
func search(r *run, c *call) stream {
	_, paths := c.patternAndPaths()
	query := r.searchQuery(c.Command, c.args)
	if len(paths) == 0 {
		if c.piped || c.partial {
			return stream{} // it narrows the previous stages
		}
		paths = []argument{{".", true}}
	}
	for _, p := range paths {
		if target := r.resolve(p.text); p.exact && target != "" {
			r.access(sessionevents.Access{Kind: sessionevents.AccessSearch, Target: target, Query: query})
		}
	}
	return stream{}
}

func (r *run) searchQuery(command *Command, args []argument) string {
	c := (&call{Command: command, args: args}).loose()
	pattern, _ := c.patternAndPaths()
	flags, _ := c.split()
	return strings.TrimSpace(canonicalFlags(flags, c.Keep) + " " + pattern)
}

func (c *call) patternAndPaths() (pattern string, paths []argument) {
	c = c.loose()
	flags, operands := c.split()
	var patterns []string
	for _, f := range flags {
		if slices.Contains(c.Patterns, f.name) {
			patterns = append(patterns, f.value)
		}
	}
	listing := slices.ContainsFunc(flags, func(f flag) bool { return f.name == "--files" })
	if len(patterns) == 0 && len(operands) > 0 && !listing {
		patterns, operands = []string{operands[0].text}, operands[1:]
	}
	return strings.Join(patterns, "|"), operands
}

// loose splits -rn and -A3 into single flags, so that order and grouping do not matter.
func (c *call) loose() *call {
	out := *c
	out.args = nil
	for i, a := range c.args {
		if a.text == "--" {
			out.args = append(out.args, c.args[i:]...)
			break
		}
		if len(a.text) < 3 || a.text[0] != '-' || a.text[1] == '-' || strings.Contains(a.text, "=") {
			out.args = append(out.args, a)
			continue
		}
		for k := 1; k < len(a.text); k++ {
			name := "-" + a.text[k:k+1]
			out.args = append(out.args, argument{name, true})
			if c.takesValue(name) && k+1 < len(a.text) {
				out.args = append(out.args, argument{a.text[k+1:], a.exact})
				break
			}
		}
	}
	return &out
}

// canonicalFlags returns the relevant flags (all if keep is nil), sorted.
func canonicalFlags(flags []flag, keep []string) string {
	var out []string
	for _, f := range flags {
		if keep != nil && !slices.Contains(keep, f.name) {
			continue
		}
		if f.value != "" {
			out = append(out, f.name+"="+f.value)
		} else {
			out = append(out, f.name)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), " ")
}

// find handles find and fd: everything after the folders is the query, and what -exec
// runs is read too.
func find(r *run, c *call) stream {
	var folders, query []string
	exact := true
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		exact = exact && a.exact
		switch {
		case len(query) == 0 && !strings.HasPrefix(a.text, "-") && a.text != "!" && a.text != "(" && c.name != "fd" && c.name != "fdfind":
			folders = append(folders, a.text)
			continue
		case a.text == "-exec" || a.text == "-execdir" || a.text == "-ok":
			end := i + 1
			for end < len(c.args) && c.args[end].text != ";" && c.args[end].text != "+" {
				end++
			}
			r.each(c.args[i+1 : end])
		case a.text == "-delete":
			r.anyFile()
		}
		query = append(query, a.text)
	}
	if len(folders) == 0 {
		folders = []string{"."}
	}
	kind := sessionevents.AccessSearch
	if len(query) == 0 {
		kind = sessionevents.AccessList
	}
	for _, f := range folders {
		if target := r.resolve(f); exact && target != "" {
			r.access(sessionevents.Access{Kind: kind, Target: target, Query: strings.Join(query, " ")})
		}
	}
	return stream{}
}

// each handles a command that runs on the files found: all that is known is that it may
// change some.
func (r *run) each(args []argument) {
	args = slices.DeleteFunc(slices.Clone(args), func(a argument) bool { return a.text == "{}" })
	before := len(r.out.Accesses)
	r.command(args, stream{}, true)
	changes := false
	for _, a := range r.out.Accesses[before:] {
		changes = changes || a.Kind == sessionevents.AccessWrite
	}
	r.out.Accesses = r.out.Accesses[:before]
	if changes || len(args) > 0 && (args[0].text == "rm" || args[0].text == "mv") {
		r.anyFile()
	}
}
