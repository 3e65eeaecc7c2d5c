package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Unknown as From and To of an access says that only a part of the file was
// shown and nobody can tell which (tail -20, cat f | awk …).
const Unknown = -1

// Effects is what a command line does.
type Effects struct {
	// Accesses in the order of the command line. Paths are slash separated,
	// clean and, where a cd came before, under that directory. A write with an
	// empty target says that any file may have changed.
	Accesses []events.Access
	// Writes are files whose new content, or a patch to it, stands in the line.
	Writes []Write
	// Kinds is sorted and without repeats: test, build, lint, format, git,
	// install, run, poll, and read, search, list, fetch, write.
	Kinds []string
	// Unparsed says that the line was too long or broken, so that more may happen.
	Unparsed bool
}

// Write is one file written, or one patch applied.
type Write struct {
	Path    string
	Content string // when Known
	Append  bool
	Known   bool
	Patch   string // git apply, patch, apply_patch: the patch text; Path is then empty
	// Replaced and Inserted are what an edit in place takes away and puts in, as
	// far as the line says: sed -i.
	Replaced, Inserted string
	// Delete says that the file is removed.
	Delete bool
}

// Is reports whether all that the line does is among kinds, and that it does
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

func (r *run) access(a events.Access) {
	if len(r.out.Accesses) < r.p.table.MaxItems {
		r.out.Accesses = append(r.out.Accesses, a)
	}
}

func (r *run) kind(kinds ...string) { r.out.Kinds = append(r.out.Kinds, kinds...) }

// anyFile records that any file may have changed.
func (r *run) anyFile() { r.access(events.Access{Kind: events.AccessWrite}) }

// write records a file written; the write list holds those whose content is
// known or that are edits rather than a program's output.
func (r *run) write(w Write) {
	if w.Path == "" || strings.HasPrefix(w.Path, "/dev/") {
		return
	}
	r.access(events.Access{Kind: events.AccessWrite, Target: w.Path})
	r.keep(w)
}

func (r *run) keep(w Write) {
	if len(r.out.Writes) < r.p.table.MaxItems {
		r.out.Writes = append(r.out.Writes, w)
	}
}

// resolve makes a path clean and puts it under the working directory.
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

func finish(e Effects) Effects {
	for _, a := range e.Accesses {
		e.Kinds = append(e.Kinds, string(a.Kind))
	}
	slices.Sort(e.Kinds)
	e.Kinds = slices.Compact(e.Kinds)
	return e
}
