package shell

import (
	"path"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Unknown as From and To of an access means that an unknown part of the file was shown
// (tail -20, cat f | awk …).
const Unknown = -1

// Effects are the effects of a command line.
type Effects struct {
	// Accesses are in the order of the command line. Paths use slashes and are clean and,
	// after a cd, relative to that directory. A write with an empty target means that any
	// file may have changed.
	Accesses []sessionevents.Access
	// Writes are files whose new content, or a patch to it, is in the line.
	Writes []Write
	// Kinds is sorted without duplicates: test, build, lint, format, git, install, run,
	// poll, and read, search, list, fetch, write.
	Kinds []string
	// Git lists the git subcommands called, in order, as far as the table contains them.
	Git []GitCall
	// Unparsed is set if the line was too long or malformed, so that it may have more
	// effects.
	Unparsed bool
}

// GitCall is one call of a git subcommand.
type GitCall struct {
	Subcommand string // commit, merge, switch …
	// Directory is where it runs, after cd and -C; "" is where the line starts.
	Directory string
	// Lost is set if an earlier cd leads to a directory that only the shell knows.
	Lost bool
	// Arguments follow the subcommand, as far as they are literal.
	Arguments []string
}

// Write is one file written, or one patch applied.
type Write struct {
	Path    string
	Content string // when Known
	Append  bool
	Known   bool
	Patch   string // git apply, patch, apply_patch: the patch text; Path is then empty
	// Replaced and Inserted are what an in-place edit removes and adds, as far as the
	// line shows: sed -i.
	Replaced, Inserted string
	// Delete is set if the file is removed.
	Delete bool
}

// Is reports whether everything that the line does is among kinds, and that it does
// something.
func (e *Effects) Is(kinds ...string) bool {
	for _, k := range e.Kinds {
		if !slices.Contains(kinds, k) {
			return false
		}
	}
	return len(e.Kinds) > 0
}

// Has reports whether the line does any of kinds.
func (e *Effects) Has(kinds ...string) bool {
	return slices.ContainsFunc(e.Kinds, func(k string) bool { return slices.Contains(kinds, k) })
}

func (r *run) access(a sessionevents.Access) {
	if len(r.out.Accesses) < r.p.table.MaxItems {
		r.out.Accesses = append(r.out.Accesses, a)
	}
}

// git records a call of a git subcommand.
func (r *run) git(c *call) {
	if len(r.out.Git) >= r.p.table.MaxItems {
		return
	}
	called := GitCall{Subcommand: strings.TrimPrefix(c.name, gitPrefix), Directory: r.directory, Lost: r.lost}
	for _, a := range c.args {
		if a.exact {
			called.Arguments = append(called.Arguments, a.text)
		}
	}
	r.out.Git = append(r.out.Git, called)
}

// gitPrefix begins the name of a call of a git subcommand.
const gitPrefix = "git "

func (r *run) kind(kinds ...string) { r.out.Kinds = append(r.out.Kinds, kinds...) }

// anyFile records that any file may have changed.
func (r *run) anyFile() { r.access(sessionevents.Access{Kind: sessionevents.AccessWrite}) }

// write records a written file; the write list contains those whose content is known or
// that are edits rather than a program's output.
func (r *run) write(w Write) {
	if w.Path == "" || strings.HasPrefix(w.Path, "/dev/") {
		return
	}
	r.access(sessionevents.Access{Kind: sessionevents.AccessWrite, Target: w.Path})
	r.keep(w)
}

func (r *run) keep(w Write) {
	if len(r.out.Writes) < r.p.table.MaxItems {
		r.out.Writes = append(r.out.Writes, w)
	}
}

// resolve returns a clean path relative to the working directory.
func (r *run) resolve(p string) string {
	switch {
	case p == "" || p == "-":
		return ""
	case strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || r.directory == "":
		return path.Clean(p)
	default:
		return path.Join(r.directory, p)
	}
}

func (r *run) cd(to string) {
	switch {
	case to == "-":
		r.directory = ""
	case to != "":
		r.directory = r.resolve(to)
	}
	if r.directory == "." {
		r.directory = ""
	}
}

// enter changes to the first of operands; from an unknown directory, a relative one leads
// to an unknown one.
func (r *run) enter(operands []argument) {
	if len(operands) > 0 && !operands[0].exact && temporary(operands[0].text) {
		r.directory, r.lost = TemporaryFolder, false
		return
	}
	if len(operands) == 0 || !operands[0].exact {
		r.lost = true
		return
	}
	r.lost = r.lost && !path.IsAbs(operands[0].text)
	r.cd(operands[0].text)
}

func finish(e Effects) Effects {
	for _, a := range e.Accesses {
		e.Kinds = append(e.Kinds, string(a.Kind))
	}
	slices.Sort(e.Kinds)
	e.Kinds = slices.Compact(e.Kinds)
	return e
}
