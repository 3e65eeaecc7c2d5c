package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/constraint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// againstStatement reports an act against what was stated in words.
func (t *turn) againstStatement(r *rule, subclass, thing, act, advice string, evidence sessionevents.Evidence) {
	evidence.ConflictsWith = r.earlier()
	t.report(contradiction{
		rule: r.text, subclass: subclass, thing: thing, established: r.established, cost: contraryCost, confidence: t.Confidence.Declared,
		known: t.knows(r.established), evidence: evidence,
		message: fmt.Sprintf("The turn %s, but %s. %s", act, t.says(r), advice),
		reason:  fmt.Sprintf("The turn %s, but %s.", act, t.states(r)),
	})
}

// paths judges which file an edit touches, and which names it takes away. A
// later request may have changed what was to stay; what was to be the only
// thing then no longer is.
func (t *turn) paths(e *edit) {
	for _, stale := range []bool{false, true} {
		for _, r := range t.rulebook() {
			if r.stale == stale && (r.kind == keepsPaths || r.kind == keepsExistence || !stale) && t.againstPaths(e, r) {
				return
			}
		}
	}
}

func (t *turn) againstPaths(e *edit, r *rule) bool {
	if op := e.segment.Diff.Op; len(e.segment.Diff.Hunks) == 0 && op != sessionevents.DiffDelete && op != sessionevents.DiffRename {
		return false // nothing shows that it changed the file
	}
	act, advice := "", "Take the change back, or ask first."
	switch r.kind {
	case noFiles:
		act, advice = t.newFile(e, r), "Put it into an existing file, or ask first."
	case onlyPaths:
		act = t.outside(e, r)
	case keepsPaths, keepsExistence:
		act = t.kept(e, r)
	}
	if act == "" {
		return false
	}
	evidence := detect.At(e.segment, 0, len(firstLine(e.text)))
	evidence.ConflictsWith = r.earlier()
	t.report(contradiction{
		rule: r.text, subclass: "constraint", thing: e.file, cost: contraryCost, confidence: t.Confidence.Path, evidence: evidence,
		logOnly: r.stale || r.kind == onlyPaths && e.test,
		message: fmt.Sprintf("%s, but %s. %s", act, t.says(r), advice),
		reason:  fmt.Sprintf("%s, but %s.", act, t.states(r)),
	})
	return true
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// newFile is what an edit does against "no new files".
func (t *turn) newFile(e *edit, r *rule) string {
	if e.segment.Diff.Op != sessionevents.DiffCreate || e.rewritten || t.isScratch(e.file) || t.made(e.file) || len(t.Before.DiffsOf(e.file)) > 0 {
		return ""
	}
	if len(r.sorts) > 0 && !slices.ContainsFunc(r.sorts, func(sort string) bool { return t.isOfSort(e, sort) }) {
		return ""
	}
	return "The turn creates " + quote.Path(e.file)
}

func (t *turn) made(file string) bool { return slices.Contains(t.memory.Made, hashOf(file)) }

func (t *turn) isOfSort(e *edit, sort string) bool {
	switch sort {
	case "tests":
		return e.test
	case "docs":
		return strings.HasSuffix(e.file, ".md") || strings.HasSuffix(e.file, ".rst") || strings.HasSuffix(e.file, ".mdx")
	}
	return slices.Contains(t.ConfigFiles, path.Base(e.file))
}

// outside is what an edit does against "only change P". One-off scripts and
// files that the session itself made are nobody's.
func (t *turn) outside(e *edit, r *rule) string {
	if e.file == "" || t.isScratch(e.file) || t.made(e.file) || slices.ContainsFunc(r.paths, func(p string) bool { return constraint.Covers(p, e.file) }) {
		return ""
	}
	return "The turn changes " + quote.Path(e.file)
}

// kept is what an edit does to something that was to stay as it is. What is new
// in this session is not what was meant.
func (t *turn) kept(e *edit, r *rule) string {
	gone := e.segment.Diff.Op == sessionevents.DiffDelete || e.segment.Diff.Op == sessionevents.DiffRename
	changes := r.kind == keepsPaths && (e.segment.Diff.Op == sessionevents.DiffUpdate || e.rewritten) || gone
	if changes && !t.made(e.file) {
		named := slices.ContainsFunc(r.paths, func(p string) bool { return exactly(p, e.file) })
		if named || slices.ContainsFunc(r.sorts, func(sort string) bool { return t.isOfSort(e, sort) }) {
			return "The turn changes " + quote.Path(e.file)
		}
	}
	for _, name := range r.names {
		for _, b := range t.Additions.Removed {
			if b.Segment == e.segment.Index && b.Item.Symbol.Name == name && !t.declaredAgain(name) {
				return "The turn removes " + quote.Name(name) + " from " + quote.Path(e.file)
			}
		}
	}
	return ""
}

// exactly is covers without guessing: a bare file name names that file anywhere.
func exactly(p, file string) bool {
	return samePath(p, file) || strings.HasPrefix(file, p+"/") || strings.Contains(file, "/"+p+"/")
}

// declaredAgain reports whether the turn declares a name again: it was moved.
func (t *turn) declaredAgain(name string) bool {
	for _, b := range t.Additions.Built {
		if b.Item.Symbol.Name == name {
			return true
		}
	}
	for _, b := range t.Additions.Edited {
		if b.Item.Symbol.Name == name {
			return true
		}
	}
	return false
}
