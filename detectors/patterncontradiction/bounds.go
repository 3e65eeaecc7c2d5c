package patterncontradiction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/constraint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// bounds finds edits of files that were to stay as they are, or outside of what was to change.
type bounds struct {
	*turn
	book *book
}

// paths judges which file an edit touches, and which names it takes away. A
// later request may have changed what was to stay; what was to be the only
// thing then no longer is.
func (k *bounds) paths(e *edit) {
	for _, stale := range []bool{false, true} {
		for _, r := range k.book.rulebook() {
			if r.stale == stale && (r.kind == keepsPaths || r.kind == keepsExistence || !stale) && k.againstPaths(e, r) {
				return
			}
		}
	}
}

func (k *bounds) againstPaths(e *edit, r *rule) bool {
	if op := e.segment.Diff.Op; len(e.segment.Diff.Hunks) == 0 && op != sessionevents.DiffDelete && op != sessionevents.DiffRename {
		return false // nothing shows that it changed the file
	}
	act, advice := "", "Take the change back, or ask first."
	switch r.kind {
	case noFiles:
		act, advice = k.newFile(e, r), "Put it into an existing file, or ask first."
	case onlyPaths:
		act = k.outside(e, r)
	case keepsPaths, keepsExistence:
		act = k.kept(e, r)
	}
	if act == "" {
		return false
	}
	evidence := detect.At(e.segment, 0, len(e.firstLine()))
	evidence.ConflictsWith = r.earlier()
	k.report(contradiction{
		rule: r.text, subclass: "constraint", thing: e.file, cost: contraryCost, confidence: k.Confidence.Path, evidence: evidence,
		logOnly: r.stale || r.kind == onlyPaths && e.test,
		message: fmt.Sprintf("%s, but %s. %s", act, k.says(r), advice),
		reason:  fmt.Sprintf("%s, but %s.", act, k.states(r)),
	})
	return true
}

// newFile is what an edit does against "no new files".
func (k *bounds) newFile(e *edit, r *rule) string {
	if e.segment.Diff.Op != sessionevents.DiffCreate || e.rewritten || k.isScratch(e.file) || k.made(e.file) || len(k.Before.DiffsOf(e.file)) > 0 {
		return ""
	}
	if len(r.sorts) > 0 && !slices.ContainsFunc(r.sorts, func(sort string) bool { return e.isOfSort(sort) }) {
		return ""
	}
	return "The turn creates " + quote.Path(e.file)
}

// outside is what an edit does against "only change P". One-off scripts and
// files that the session itself made are nobody's.
func (k *bounds) outside(e *edit, r *rule) string {
	if e.file == "" || k.isScratch(e.file) || k.made(e.file) || slices.ContainsFunc(r.paths, func(p string) bool { return constraint.Covers(p, e.file) }) {
		return ""
	}
	return "The turn changes " + quote.Path(e.file)
}

// kept is what an edit does to something that was to stay as it is. What is new
// in this session is not what was meant.
func (k *bounds) kept(e *edit, r *rule) string {
	gone := e.segment.Diff.Op == sessionevents.DiffDelete || e.segment.Diff.Op == sessionevents.DiffRename
	changes := r.kind == keepsPaths && (e.segment.Diff.Op == sessionevents.DiffUpdate || e.rewritten) || gone
	if changes && !k.made(e.file) {
		named := slices.ContainsFunc(r.paths, func(p string) bool { return exactly(p, e.file) })
		if named || slices.ContainsFunc(r.sorts, func(sort string) bool { return e.isOfSort(sort) }) {
			return "The turn changes " + quote.Path(e.file)
		}
	}
	for _, name := range r.names {
		for _, b := range k.Additions.Removed {
			if b.Segment == e.segment.Index && b.Item.Symbol.Name == name && !k.declaredAgain(name) {
				return "The turn removes " + quote.Name(name) + " from " + quote.Path(e.file)
			}
		}
	}
	return ""
}

// exactly is covers without guessing: a bare file name names that file anywhere.
func exactly(p, file string) bool {
	return registry.SameFile(p, file) || strings.HasPrefix(file, p+"/") || strings.Contains(file, "/"+p+"/")
}

// declaredAgain reports whether the turn declares a name again: it was moved.
func (k *bounds) declaredAgain(name string) bool {
	for _, b := range k.Additions.Built {
		if b.Item.Symbol.Name == name {
			return true
		}
	}
	for _, b := range k.Additions.Edited {
		if b.Item.Symbol.Name == name {
			return true
		}
	}
	return false
}
