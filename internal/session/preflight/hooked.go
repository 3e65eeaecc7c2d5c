package preflight

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// An agent is watched through two things on its machine: its settings, which name our
// hooks, and the program that the hooks call. What takes one of them away is read from
// the effects of the call (GD-1), so that no spelling of a deletion needs a rule here.

// removesIt describes the loss of the program for the agent and the person.
const removesIt = "removing the program that the hooks of agents call"

// spot is a path in parts; a person's home, however written, is "~".
type spot []string

// spots are the places that our hooks need: agents' settings, and the program.
type spots struct{ settings, programs []spot }

// loss is one act of a call on places that our hooks need.
type loss struct {
	*Release
	spots
	call    *Call
	facts   guard.Facts
	effect  *destruct.Effect
	targets []string // as written, relative to where the line starts, and with links resolved
}

// loses describes which of them the effects of a call take away, "" for none. Command is
// the shell command, "" for another tool.
func (r *Release) loses(call *Call, facts guard.Facts, effects []destruct.Effect, command string) string {
	if len(effects) == 0 {
		return ""
	}
	located, needed := r.located(command), r.needed(call)
	for i := range effects {
		e := &effects[i]
		if e.Kind != destruct.Files || e.Elsewhere || e.Takes || e.Changes || strings.HasPrefix(e.Rule, "permissions") {
			continue
		}
		l := &loss{r, needed, call, facts, e, nil}
		for _, t := range e.Targets {
			l.targets = append(l.targets, absolute(t, call.Directory))
		}
		for _, p := range e.Places {
			if !p.Unknown() {
				l.targets = append(l.targets, p.Path)
			}
		}
		switch {
		case l.settings():
			return blindsIt
		case l.program(command), located && l.takes() && l.openly():
			return removesIt
		}
	}
	return ""
}

// takes reports whether what was there is gone afterwards, without anything in its place.
func (l *loss) takes() bool { return !l.effect.Overwrites || l.effect.Empties }

// settings reports whether the act takes an agent's settings away. What is written over
// them is judged by its text.
func (l *loss) settings() bool {
	if !l.takes() {
		return false
	}
	return slices.ContainsFunc(l.targets, func(t string) bool {
		is, _ := l.isSettings(t)
		return is && l.effect.Search == nil || l.hits(t, l.spots.settings)
	})
}

// program reports whether the act takes the program away, or puts in its place something
// that is not another version of it.
func (l *loss) program(command string) bool {
	at := func(t string) bool { return l.hits(t, l.programs) }
	if !slices.ContainsFunc(l.targets, at) {
		return false
	}
	if l.takes() || command == "" {
		return true
	}
	here := from(l.call.Directory, l.effect.Directory)
	words := strings.FieldsFunc(cmp.Or(l.effect.Line, command), between)
	return !slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(path.Base(w), l.Program) && !at(absolute(w, here))
	})
}

// between reports whether a character is between two words of a command or program text.
func between(c rune) bool { return strings.ContainsRune(" \t\n'\"`,;()[]{}=", c) }

// openly reports whether targets of the act are only known to the shell, or named by what
// it asked for the place of the program.
func (l *loss) openly() bool {
	return l.effect.Open || slices.ContainsFunc(l.effect.Targets, func(t string) bool {
		return l.located(t) || l.isOurs(path.Base(t))
	})
}

// hits reports whether the act affects one of our places through one of its targets.
func (l *loss) hits(target string, places []spot) bool {
	t := spotOf(target)
	return slices.ContainsFunc(places, func(p spot) bool { return l.affects(t, p) })
}

// affects reports whether a target names a place, expands to it, or is a folder above it
// that goes with all it holds.
func (l *loss) affects(t, p spot) bool {
	tree := l.effect.Recursive || l.effect.Roots || l.effect.Search != nil
	if len(t) > len(p) || len(t) < len(p) && !tree || len(t) < 2 && l.effect.Search == nil {
		return false // the loss of a whole home is more than that of our hooks
	}
	open := false
	for k := range t {
		if !completes(t[k], p[k]) {
			return false
		}
		open = open || strings.ContainsAny(t[k], "*?[{")
	}
	if s := l.effect.Search; s != nil && !s.Chooses(strings.Join(t, "/"), strings.Join(p, "/"), false) {
		return false
	}
	return len(t) == len(p) && !open || !l.absent(p)
}

// absent reports whether nothing is at a place, as far as somebody looked.
func (l *loss) absent(p spot) bool {
	place := "/" + path.Join(p...)
	if p[0] == "~" {
		if l.facts.Home() == "" {
			return false
		}
		place = path.Join(l.facts.Home(), path.Join(p[1:]...))
	}
	entry := l.facts.Entry(place)
	return entry.Known && !entry.Exists
}

// spotOf returns a path in parts: none for a folder with homes, "." for a relative path,
// which is nowhere.
func spotOf(name string) spot {
	name = configHome.Replace(name)
	if slices.Contains(above, path.Clean(name)) {
		return nil
	}
	own := home.FindString(name)
	if own == "" && !path.IsAbs(name) {
		return spot{"."}
	}
	parts := strings.FieldsFunc(path.Clean("/"+name[len(own):]), func(c rune) bool { return c == '/' })
	if own != "" {
		return slices.Insert(parts, 0, "~")
	}
	return parts
}

// absolute returns a path, as written in a line, from where the line starts.
func absolute(name, directory string) string {
	name = configHome.Replace(name)
	if directory == "" || path.IsAbs(name) || home.MatchString(name) || strings.HasPrefix(name, "$") {
		return name
	}
	return path.Join(directory, name)
}

// needed returns the places that our hooks need. The program may be in the usual folders,
// and beside the running system unless that was built in the workspace.
func (r *Release) needed(call *Call) (list spots) {
	for _, s := range r.Settings {
		list.settings = append(list.settings, spotOf("~/"+s))
	}
	folders := r.Installed
	if f := call.Watch.Folder; f != "" && (call.Workspace == "" || !strings.HasPrefix(f+"/", call.Workspace+"/")) {
		folders = append(slices.Clone(folders), f)
	}
	for _, f := range folders {
		for _, name := range []string{r.Program, r.Program + "-hook"} {
			list.programs = append(list.programs, spotOf(path.Join(f, name)))
		}
	}
	return list
}

// isOurs reports whether a file name is that of our program or of the one that hooks
// call.
func (r *Release) isOurs(base string) bool {
	return strings.TrimSuffix(strings.TrimSuffix(base, ".exe"), "-hook") == r.Program
}

// locates matches ways to ask where a program is.
var locates = pattern.Must(
	`\b(?:which|whereis|command\s+-[vV]|type\s+-[apP]+|hash\s+-t|LookPath|Get-Command)\b[\s("']+`,
)

// located reports whether a text asks where our program is.
func (r *Release) located(text string) bool {
	return slices.ContainsFunc(locates.FindAllStringIndex(text, -1), func(at []int) bool {
		return strings.HasPrefix(text[at[1]:], r.Program)
	})
}

// locks describes what a command takes from our hooks by permissions alone: settings that
// nobody can read, a program that nobody can run.
func (r *Release) locks(i *shell.Invocation, call *Call) string {
	if i.Name != "chmod" {
		return ""
	}
	mode, files := "", []string(nil)
	for _, a := range i.Args {
		switch {
		case strings.HasPrefix(a, "-") && strings.Trim(a[1:], "rwxXst") != "":
		case mode == "":
			mode = a
		default:
			files = append(files, absolute(a, from(call.Directory, i.Directory)))
		}
	}
	read, run := permits(mode)
	tree := slices.ContainsFunc(i.Args, func(a string) bool { return a == "--recursive" || a == "-R" })
	acts := &destruct.Effect{Act: destruct.Act{Recursive: tree}}
	l := &loss{Release: r, spots: r.needed(call), facts: guard.Blind{}, effect: acts}
	for _, f := range files {
		if is, _ := r.isSettings(f); !read && (is || l.hits(f, l.spots.settings)) {
			return blindsIt
		}
		if !run && l.hits(f, l.programs) {
			return removesIt
		}
	}
	return ""
}

// permits reports whether the owner can read and run a file with a mode of chmod, which
// could do both before.
func permits(mode string) (read, run bool) {
	if mode != "" && strings.Trim(mode, "01234567") == "" {
		owner := ("00" + mode)[len(mode)-1]
		return owner >= '4', (owner-'0')&1 == 1
	}
	read, run = true, true
	for clause := range strings.SplitSeq(mode, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 || at > 0 && !strings.ContainsAny(clause[:at], "ua") {
			continue
		}
		read, run = changed(read, clause[at], clause[at+1:], "r"), changed(run, clause[at], clause[at+1:], "x")
	}
	return read, run
}

// changed returns a permission after an operator of chmod with its letters.
func changed(before bool, operator byte, letters, letter string) bool {
	switch has := strings.Contains(letters, letter); {
	case operator == '=':
		return has
	case has:
		return operator == '+'
	}
	return before
}

var changesMode = pattern.Must(`(?i)\bchmod(?:Sync)?\b`)

// locksBy reports whether program text leaves our program so that nobody can run it.
func (r *Release) locksBy(text string) bool {
	if !changesMode.MatchString(text) {
		return false
	}
	words := strings.FieldsFunc(text, between)
	l := &loss{Release: r, spots: r.needed(&Call{}), facts: guard.Blind{}, effect: &destruct.Effect{}}
	named := slices.ContainsFunc(words, func(w string) bool { return l.hits(w, l.programs) })
	return named && slices.ContainsFunc(words, func(w string) bool {
		_, run := permits(strings.TrimPrefix(w, "0o"))
		return w[0] >= '0' && w[0] <= '7' && !run
	})
}

// uninstalls reports whether a command has a package manager, or an agent, remove us.
func (r *Release) uninstalls(i *shell.Invocation) bool {
	verbs := r.Uninstalls[i.Name]
	return slices.ContainsFunc(i.Args, func(a string) bool { return slices.Contains(verbs, a) }) &&
		slices.ContainsFunc(i.Args, func(a string) bool { return strings.HasPrefix(path.Base(a), r.Program) })
}
