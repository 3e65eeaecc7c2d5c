package constraint

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// File judges an operation on a file; verb is one of Change, Create and Delete, and file
// a path as the session names it.
func (r *Reader) File(c *Constraint, verb Verb, file string) Breach {
	switch {
	case file == "" || c.Verbs&verb == 0:
		return Breach{}
	case c.Outside && r.isSystem(file):
		return Breach{Path, file}
	case c.Only && len(c.Paths) > 0 && !r.isTemporary(c, verb, file) && r.outsideOf(c, file):
		return Breach{Path, file}
	case c.Only:
		return Breach{}
	case slices.ContainsFunc(c.Paths, func(p string) bool { return holds(p, file) }):
		return Breach{Path, file}
	}
	if hasAnyOf(stems(file), c.Parts) || r.isKind(c, file) {
		return Breach{Named, file}
	}
	if place := r.place(c, file); place != "" {
		return Breach{Other, file}
	}
	return Breach{}
}

// isTemporary reports whether a file is created in a temporary folder, which a limit on
// project files does not cover.
func (r *Reader) isTemporary(c *Constraint, verb Verb, file string) bool {
	return verb&Delete == 0 && slices.ContainsFunc(r.Temporary, func(p string) bool { return holds(p, file) }) &&
		!slices.ContainsFunc(c.Paths, path.IsAbs)
}

// outsideOf reports whether a file is none of those that a limit allows. A copy of an
// allowed file is allowed.
func (r *Reader) outsideOf(c *Constraint, file string) bool {
	file = r.Leftovers.ReplaceAllString(file, "")
	parts := stems(file)
	if len(c.Sort) > 0 && slices.ContainsFunc(c.Sort, func(word string) bool { return !hasWord(file, word) }) {
		return false
	}
	return !hasAnyOf(parts, c.Parts) && !r.isKind(c, file) && !slices.ContainsFunc(c.Paths, func(p string) bool { return Covers(p, file) })
}

// hasWord reports whether a path contains a word as a part of its own, in the singular or
// plural.
func hasWord(file, word string) bool {
	parts := strings.FieldsFunc(strings.ToLower(file), func(c rune) bool { return text.NotWord(c) || c == '_' })
	return slices.ContainsFunc(parts, func(part string) bool {
		return strings.TrimSuffix(part, "s") == word
	})
}

// isKind reports whether a path is of a kind of file that a constraint names.
func (r *Reader) isKind(c *Constraint, file string) bool {
	return slices.ContainsFunc(c.Kinds, func(kind string) bool { return r.kinds[kind].MatchString(file) })
}

// hasAnyOf reports whether a path contains all stems of one of the lists.
func hasAnyOf(parts map[string]bool, lists [][]string) bool {
	return slices.ContainsFunc(lists, func(list []string) bool {
		return !slices.ContainsFunc(list, func(stem string) bool { return !parts[stem] })
	})
}

// isSystem reports whether a path belongs to the system or a home folder.
func (r *Reader) isSystem(file string) bool {
	under := func(p string) bool { return file == p || strings.HasPrefix(file, p+"/") }
	return slices.ContainsFunc(r.SystemPaths, under) && !slices.ContainsFunc(r.SystemFree, under)
}

// Covers reports whether a path in a limit is a file or a folder that contains it. A
// relative path is relative to the workspace, which may itself be inside an absolute
// limit.
func Covers(limit, file string) bool {
	limit, file = path.Clean(limit), path.Clean(file)
	if holds(limit, file) || path.Base(limit) == path.Base(file) {
		return true
	}
	rooted, absolute := strings.CutPrefix(limit, "/")
	if !absolute || strings.HasPrefix(file, "/") {
		return false
	}
	for {
		_, rest, more := strings.Cut(rooted, "/")
		if !more {
			return true // the workspace itself: "/workspace"
		}
		if rooted = rest; holds(rooted, file) {
			return true
		}
		if !strings.Contains(rooted, "/") {
			return false
		}
	}
}

// holds reports whether a path is a file, or a folder that contains it.
func holds(p, file string) bool {
	p, file = path.Clean(strings.TrimPrefix(p, "./")), path.Clean(file)
	return p == file || strings.HasPrefix(file, p+"/") || strings.HasSuffix(file, "/"+p) && !strings.HasPrefix(p, "/") ||
		!strings.HasPrefix(p, "/") && strings.Contains(file, "/"+p+"/")
}

// Command judges one command of a line; line is the complete line.
func (r *Reader) Command(c *Constraint, i *shell.Invocation, line string) Breach {
	command := strings.Join(append([]string{i.Name}, i.Args...), " ")
	for _, words := range c.Commands {
		if !c.Only && !(isStatement(words) && r.onlyLooks(command)) && r.runs(i, words, line) {
			return Breach{Named, strings.Join(words, " ")}
		}
	}
	if name := r.otherBranch(c, command, line); name != "" {
		return Breach{Named, name}
	}
	if c.Outside && r.changesSystem(command, line) {
		return Breach{Named, command}
	}
	if r.onlyLooks(command) {
		return Breach{}
	}
	if flag := c.exceeds(i.Args); flag != "" {
		return Breach{Other, flag}
	}
	place := r.place(c, command)
	if len(c.Places) > 0 && place == "" {
		return Breach{} // done somewhere else
	}
	for _, idea := range c.Ideas {
		if idea.Breach != nil && idea.Breach.MatchString(asRoot(command, line)) && (idea.With == nil || idea.With.MatchString(line)) {
			return Breach{Other, command}
		}
	}
	if place != "" {
		return Breach{Other, command}
	}
	return Breach{}
}

// otherBranch returns the branch that a command changes or pushes to in place of the only one that may
// change, "" for none: the line itself must say which it is.
func (r *Reader) otherBranch(c *Constraint, command, line string) string {
	if c.Branch == "" {
		return ""
	}
	b, name := &r.Branch, ""
	switch pushed := b.Pushes.FindStringSubmatch(command); {
	case pushed != nil:
		name = strings.TrimPrefix(pushed[b.Pushes.SubexpIndex("to")], "refs/heads/")
	case b.Writes.MatchString(command):
		for _, entered := range b.Enters.FindAllStringSubmatch(line, -1) {
			name = entered[1] + entered[2]
		}
	}
	if name == c.Branch || name == "HEAD" {
		return ""
	}
	return name
}

// Tool judges a call of a kind of tool.
func (r *Reader) Tool(c *Constraint, kind string) Breach {
	for _, idea := range c.Ideas {
		if idea.Tool != "" && idea.Tool == kind && !c.Only {
			return Breach{Named, idea.ID}
		}
	}
	return Breach{}
}

// exceeds returns the flag with which a command does more of a unit than allowed:
// "--lines 10000".
func (c *Constraint) exceeds(args []string) string {
	if c.Unit == "" {
		return ""
	}
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		dashed := strings.HasPrefix(name, "--")
		if n, err := strconv.Atoi(value); dashed && err == nil && n > c.Most && strings.TrimSuffix(name[2:], "s") == c.Unit {
			return name + " " + value
		}
	}
	return ""
}

// Line judges a complete line by the numbers in it.
func (r *Reader) Line(c *Constraint, line string) Breach {
	if c.Limit == 0 {
		return Breach{}
	}
	counts := r.Counts
	if c.Concurrent {
		counts = r.ConcurrentCounts
	}
	for _, count := range counts {
		for _, m := range count.FindAllStringSubmatch(line, -1) {
			if n, err := strconv.Atoi(m[1]); err == nil && n > c.Limit && r.concerns(c, line) {
				return Breach{Other, strings.TrimSpace(m[0])}
			}
		}
	}
	if found := r.Endless.FindString(line); found != "" && !c.Concurrent {
		return Breach{Other, found}
	}
	return Breach{}
}

// concerns reports whether a number in a line counts what a limit is about: repetitions,
// concurrency, or what the line names.
func (r *Reader) concerns(c *Constraint, line string) bool {
	if c.Counted == "" || c.Concurrent || slices.Contains(r.Repeated, c.Counted) {
		return !r.onlyLooks(line)
	}
	return strings.Contains(strings.ToLower(line), c.Counted)
}

// runs reports whether a command contains the words of another one in this order.
func (r *Reader) runs(i *shell.Invocation, words []string, line string) bool {
	name, args := words[0], words[1:]
	switch {
	case strings.HasPrefix(name, "-"):
		return r.hasFlag(i, name)
	case name == "sudo" || name == "nohup":
		return strings.HasPrefix(line, name+" ") || strings.Contains(line, " "+name+" ")
	case i.Name != name && !slices.Contains(i.Args, name) && !strings.Contains(i.Input, strings.Join(words, " ")):
		return isStatement(words) && strings.Contains(strings.ToUpper(line), strings.Join(words, " "))
	}
	if i.Name != name {
		return isStatement(words) || len(args) > 0 && strings.Contains(strings.Join(i.Args, " "), strings.Join(words, " "))
	}
	rest := i.Args
	for _, word := range args {
		at := slices.IndexFunc(rest, func(a string) bool {
			return a == word || strings.HasPrefix(word, "-") && strings.HasPrefix(a, word+"=")
		})
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// isStatement reports whether words belong to a query language: "DROP TABLE".
func isStatement(words []string) bool {
	return len(words) > 1 && strings.ToUpper(words[0]) == words[0] && strings.ToLower(words[0]) != words[0]
}

// hasFlag reports whether a command has a flag, possibly with a value, in its short form,
// or as the beginning of a longer one.
func (r *Reader) hasFlag(i *shell.Invocation, flag string) bool {
	flag, _, _ = strings.Cut(flag, "=")
	if part, about := strings.CutPrefix(flag, "--*"); about {
		return slices.ContainsFunc(i.Args, func(a string) bool { return strings.HasPrefix(a, "--") && strings.Contains(a, part) })
	}
	for _, a := range i.Args {
		if a == flag || strings.HasPrefix(a, flag+"=") || slices.Contains(r.FlagPrefixes, flag) && strings.HasPrefix(a, flag+"-") {
			return true
		}
	}
	program := i.Name
	short := r.ShortFlags[program][flag]
	if len(i.Args) > 0 && short == "" {
		short = r.ShortFlags[program+" "+i.Args[0]][flag]
	}
	return short != "" && slices.ContainsFunc(i.Args, func(a string) bool {
		return len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, short[1:])
	})
}

// onlyLooks reports whether a command changes nothing.
func (r *Reader) onlyLooks(command string) bool {
	return r.Looks.MatchString(command) || r.Queries.MatchString(command) && !r.Changes.MatchString(command)
}

// changesSystem reports whether a command changes something outside the project.
func (r *Reader) changesSystem(command, line string) bool {
	for _, p := range r.SystemCommands {
		if p.MatchString(command) {
			return true
		}
	}
	return strings.Contains(line, "sudo ") && r.RootCommands.MatchString(command)
}

// asRoot restores sudo in front of a command that was unwrapped.
func asRoot(command, line string) string {
	if strings.Contains(line, "sudo "+command) {
		return "sudo " + command
	}
	return command
}

// place returns a forbidden environment that a text names, "" for none.
func (r *Reader) place(c *Constraint, s string) string {
	if len(c.Places) == 0 {
		return ""
	}
	s = devices.ReplaceAllString(s, "")
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return text.NotWord(c) || c == '_' }) {
		if place := r.placeOf[word]; place != "" && slices.Contains(c.Places, place) {
			return place
		}
	}
	return ""
}
