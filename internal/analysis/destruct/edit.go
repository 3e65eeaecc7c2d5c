package destruct

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/diff"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Edit is what an editing tool does to a file (GD-6).
type Edit struct {
	Path    string
	Deletes bool
	// Whole reports whether the file is written in full, Empties whether it is left
	// empty.
	Whole, Empties bool
}

// EditsOf returns the edits of patches. Writing a whole file without any text empties it.
func EditsOf(patches []sessionevents.FilePatch, whole bool) (out []Edit) {
	for i := range patches {
		p := &patches[i]
		switch p.Op {
		case sessionevents.DiffDelete:
			out = append(out, Edit{Path: p.Path, Deletes: true})
		case sessionevents.DiffRename:
			out = append(out, Edit{Path: p.OldPath, Deletes: true}, Edit{Path: p.Path, Whole: true})
		default:
			out = append(out, Edit{Path: p.Path, Whole: whole, Empties: whole && blank(p)})
		}
	}
	return slices.DeleteFunc(out, func(e Edit) bool { return e.Path == "" })
}

// blank reports whether a patch writes no text at all.
func blank(p *sessionevents.FilePatch) bool {
	for _, h := range p.Hunks {
		for _, l := range h.Lines {
			if strings.TrimSpace(strings.TrimPrefix(l, "+")) != "" {
				return false
			}
		}
	}
	return true
}

// act returns an edit as an act.
func (e *Edit) act() Act {
	a := Act{Kind: Files, Targets: []string{e.Path}, Force: true}
	switch {
	case e.Deletes:
		a.Rule, a.Command, a.Loses = "edit-delete", "delete "+e.Path, "the file"
	case e.Empties:
		a.Rule, a.Command, a.Loses, a.Overwrites, a.Empties, a.Quiet = WriteRule, "write "+e.Path, "the content", true, true, true
	case e.Whole:
		a.Rule, a.Command, a.Loses, a.Overwrites, a.Quiet = WriteRule, "write "+e.Path, "the former content", true, true
	default:
		a.Rule, a.Command, a.Loses, a.Overwrites, a.Quiet = EditRule, "edit "+e.Path, "the former content", true, true
	}
	a.Line = a.Command
	return a
}

// EditEffects returns the effects of a tool's edits.
func (r *Reader) EditEffects(edits []Edit, directory string, facts Facts) []Effect {
	acts := make([]Act, 0, len(edits))
	for i := range edits[:min(len(edits), maxPlaces)] {
		acts = append(acts, edits[i].act())
	}
	return r.effects(acts, directory, facts)
}

// patched records the files of an apply_patch that is called from a shell.
func (l *line) patched(i *shell.Invocation) {
	if i.Name != "apply_patch" && i.Name != "applypatch" || i.Elsewhere {
		return
	}
	text := strings.Join(append(slices.Clone(i.Args), i.Input), "\n")
	for _, e := range EditsOf(diff.ApplyPatch(text), false) {
		e.Path = under(i.Directory, e.Path)
		a := e.act()
		a.Lost = i.Lost
		l.add(a)
	}
}
