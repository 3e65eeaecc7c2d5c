package destruct

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Facts provides what is known about the places that a command line names.
type Facts interface {
	// Home returns the person's home, "" if unknown.
	Home() string
	// Roots returns the folders of the workspace.
	Roots() []string
	// Entry returns what an absolute path leads to.
	Entry(name string) Entry
	// Script returns the text of a file that the session wrote; it is unknown for any
	// other file.
	Script(name string) (text string, known bool)
}

// Entry is what a path leads to.
type Entry struct {
	// Real is the path with the symbolic links of its folders resolved.
	Real string
	// Known reports whether the path was checked; Exists, Folder and File (an ordinary file, no link) are the result.
	Known, Exists, Folder, File bool
}

// Place is a target as a place on this machine.
type Place struct {
	Text string // as written in the line, relative to where it starts
	// Path is absolute and clean, "" if only the shell knows it; with Pattern it may
	// contain * ? [.
	Path    string
	Pattern bool
	Entry   Entry
}

// Unknown reports whether only the shell knows the place.
func (p *Place) Unknown() bool { return p.Path == "" }

// Effect is the effect of a command on things that may not be recoverable (GD-1): an act,
// with its targets as places if it affects files.
type Effect struct {
	Act
	Places []Place
	// At is the folder in which the command runs, "" if only the shell knows.
	At string
	// Pack is the table with the act.
	Pack string
}

// Does describes the act of an effect.
func (e *Effect) Does() string {
	switch {
	case e.Takes:
		return "stage"
	case e.Unstages:
		return "unstage"
	case e.Changes:
		return "work in a worktree"
	case e.Rule == "git-stash-pop", e.Rule == "git-stash-drop":
		return "drop a stash"
	case e.Kind == Worktree:
		return "discard"
	case e.Kind == Files && e.Roots:
		return "move or lock away"
	case e.Kind == Files && e.Empties:
		return "empty"
	case e.Kind == Files && e.Overwrites:
		return "overwrite"
	case e.Kind == Files:
		return "delete"
	case e.Kind == Branches:
		return "delete a branch"
	case e.Kind == History:
		return "rewrite history"
	case e.Kind == Processes:
		return "stop"
	case e.Kind == Data:
		return "drop data"
	case e.Kind == Infrastructure:
		return "destroy infrastructure"
	case e.Kind == Published:
		return "publish"
	}
	return string(e.Kind)
}

// Effects returns the effects of a command line that starts in a folder. Nothing in it is
// run.
func (r *Reader) Effects(text, directory string, facts Facts) []Effect {
	effects, _ := r.Placed(text, directory, facts)
	return effects
}

// Placed returns the effects of a command line that starts in a folder, and its reading.
func (r *Reader) Placed(text, directory string, facts Facts) ([]Effect, Reading) {
	l := r.read(text, &line{placed: true, facts: facts, directory: directory})
	return r.effects(append(l.out.Acts, l.out.Writes...), directory, facts), l.out
}

// effects returns acts with their targets as places.
func (r *Reader) effects(acts []Act, directory string, facts Facts) []Effect {
	out := make([]Effect, 0, len(acts))
	for i := range acts {
		e := Effect{Act: acts[i], Pack: r.pack(&acts[i])}
		at := r.place(e.Directory, directory, facts)
		if !e.Lost && !at.Unknown() && !at.Pattern {
			e.At = at.Path
			if at.Entry.Folder {
				e.At = at.Entry.Real
			}
		}
		if e.Kind == Files || e.Kind == Worktree && e.Rule != "git-stash-drop" && e.Rule != "git-stash-pop" {
			e.Places = r.places(&e, directory, facts)
		}
		out = append(out, e)
	}
	return out
}

// pack returns the table of an act.
func (r *Reader) pack(a *Act) string {
	switch a.Kind {
	case Takeover:
		return "hijack"
	case Leak:
		return "secrets"
	}
	return cmp.Or(r.packs[a.Rule], "core")
}

// places returns the targets of an act on files.
func (r *Reader) places(e *Effect, directory string, facts Facts) []Place {
	var out []Place
	for _, t := range e.Targets {
		p := r.place(t, directory, facts)
		if e.Lost && !path.IsAbs(t) && !strings.HasPrefix(t, "~") {
			p = Place{Text: t}
		}
		out = append(out, p)
	}
	if e.Open {
		out = append(out, Place{})
	}
	return out
}

// place returns a target as an absolute place, relative to the folder in which the line
// starts.
func (r *Reader) place(text, directory string, facts Facts) Place {
	p := Place{Text: text}
	if strings.HasPrefix(text, "~") && (facts == nil || facts.Home() == "") {
		p.Path = text // a person's home, wherever it is
		return p
	}
	name := r.expanded(strings.ReplaceAll(text, "{}", "*"), facts)
	if rest, is := strings.CutPrefix(name, "$PWD/"); is && directory != "" {
		name = path.Join(directory, rest)
	}
	if at := strings.IndexAny(name, "$`"); at >= 0 {
		folder := name[:max(0, strings.LastIndexByte(name[:at], '/')+1)]
		if at == 0 || folder == "" {
			return p
		}
		name = folder + "*"
	}
	if !path.IsAbs(name) {
		if directory == "" {
			return p
		}
		name = path.Join(directory, name)
	}
	p.Path, p.Pattern = path.Clean(name), strings.ContainsAny(name, "*?[")
	if facts == nil {
		return p
	}
	if p.Pattern {
		if base := path.Dir(p.Path); !strings.ContainsAny(base, "*?[") {
			inside := path.Join(base, "x") // so that the folder itself is followed
			p.Path = path.Join(path.Dir(facts.Entry(inside).realOr(inside)), path.Base(p.Path))
		}
		return p
	}
	p.Entry = facts.Entry(p.Path)
	p.Path = p.Entry.realOr(p.Path)
	return p
}

func (e Entry) realOr(name string) string {
	if e.Real != "" {
		return e.Real
	}
	return name
}

// topLevel holds the ways in which a line asks Git for the folder of its repository.
var topLevel = []string{"$(git rev-parse --show-toplevel)", "`git rev-parse --show-toplevel`"}

// expanded returns a target with the person's home, the temporary folder and the
// workspace expanded.
func (r *Reader) expanded(text string, facts Facts) string {
	home := ""
	if facts != nil {
		home = facts.Home()
		for _, ask := range topLevel {
			if roots := facts.Roots(); len(roots) > 0 && strings.HasPrefix(text, ask) {
				return roots[0] + strings.TrimPrefix(text, ask)
			}
		}
	}
	variable, rest, _ := strings.Cut(braces.Replace(text), "/")
	name, _, _ := strings.Cut(strings.TrimPrefix(variable, "$"), ":-")
	switch {
	case strings.HasPrefix(text, "$") && slices.Contains(r.config.Temporary.Environment, name):
		return path.Join("/tmp", rest)
	case text == "~" || strings.HasPrefix(text, "~/"):
		return home + text[1:]
	case strings.HasPrefix(text, "~"):
		return path.Join(path.Dir(home), text[1:])
	}
	return text
}
