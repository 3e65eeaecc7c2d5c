package weakenedcheck

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// change is one thing that an edit or a command weakens.
type change struct {
	kind, class  string
	file, test   string
	before       string // as it was: the assertion, the value
	after        string // as it is: the assertion, the value, the mark
	detail       string // between the thing and the advice, where the kind's own words do not do
	rule         string // of a linter, that a mark silences
	around       string // the edit's text, for a change that names nothing itself
	segment      *sessionevents.Segment
	offset, long int
}

// edit is one file's edit under reading.
type edit struct {
	segment        *sessionevents.Segment
	file, language string
	class          string
	before, after  string // the lines of both sides, with those around
	removed, added []sessionevents.Line
}

// edited reads a DIFF: of the code itself what it is about, of checks what they lose.
func (t *turn) edited(s *sessionevents.Segment) {
	if s.Proposed || s.Rejected || s.Diff == nil || s.Diff.Failed || s.Path == "" {
		return
	}
	e := &edit{segment: s, file: t.Before.Path(s.Path), language: s.Language}
	if e.language == "" {
		e.language = syntax.LanguageOf(s.Path)
	}
	e.class = t.classOf(e.file, e.language)
	if e.class == document {
		return
	}
	e.removed, e.added = s.Diff.Removed(), s.Diff.Added()
	e.before, e.after = sides(s.Diff)
	t.unmarked(e)
	switch e.class {
	case "":
		t.production(e)
		return
	case source:
		t.production(e)
		if len(t.memory.Failures) == 0 && !t.requests().protects("silenced") && !t.requests().protects("rigged") {
			return
		}
	case tests:
		t.tested(e)
	case fixtures:
		t.tested(e)
		t.data(e)
	case snapshots:
		if len(e.removed) > 0 || s.Diff.Op == sessionevents.DiffDelete {
			t.report(change{kind: "accepted", class: e.class, file: e.file, before: firstText(e.removed), after: firstText(e.added), segment: s})
		}
	case continuous, settings:
		t.unlisted(e)
		t.dependencies(e)
	}
	t.marked(e)
	t.numbered(e)
}

// sides are the texts of a DIFF before and after, with the lines around.
func sides(d *sessionevents.Diff) (before, after string) {
	var b, a strings.Builder
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			switch {
			case l == "" || l[0] == ' ':
				text := strings.TrimPrefix(l, " ")
				b.WriteString(text + "\n")
				a.WriteString(text + "\n")
			case l[0] == '-':
				b.WriteString(l[1:] + "\n")
			case l[0] == '+':
				a.WriteString(l[1:] + "\n")
			}
		}
	}
	return b.String(), a.String()
}

func firstText(lines []sessionevents.Line) string {
	for _, l := range lines {
		if text := strings.TrimSpace(l.Text); text != "" {
			return text
		}
	}
	return ""
}

// production notes an edit of the code itself: what it is about, and what it takes away.
func (t *turn) production(e *edit) {
	m, turn, limit := t.memory, t.Turn.Turn, t.Limits.Names
	m.Edited = turn
	m.Names = learn(m.Names, stem(e.file), turn, limit, nil)
	added := map[string]bool{}
	for _, l := range e.added {
		for name := range eachName(l.Text) {
			if !t.Common[name] {
				learnOne(m.Names, name, turn, limit)
				added[name] = true
			}
		}
	}
	if e.segment.Diff.Op == sessionevents.DiffDelete || e.segment.Diff.Op == sessionevents.DiffRename {
		m.Gone = learn(m.Gone, stem(e.file)+" "+stem(e.segment.Diff.OldPath), turn, limit, nil)
	}
	for _, l := range e.removed {
		for name := range eachName(l.Text) {
			if t.Common[name] {
				continue
			}
			learnOne(m.Names, name, turn, limit)
			if !added[name] {
				m.Gone = learn(m.Gone, name, turn, limit, nil)
			}
		}
	}
}

// dependencies notes what an edit of a manifest gives another version: what it prints may
// change with it.
func (t *turn) dependencies(e *edit) {
	for _, l := range e.added {
		if t.Version.MatchString(l.Text) {
			t.memory.Names = learn(t.memory.Names, l.Text, t.Turn.Turn, t.Limits.Names, t.Common)
		}
	}
}

// stem is a file's name without what makes it a test.
func stem(file string) string {
	base := strings.ToLower(path.Base(file))
	if i := strings.IndexByte(base, '.'); i > 0 {
		base = base[:i]
	}
	for _, affix := range []string{"test_", "tests_"} {
		base = strings.TrimPrefix(base, affix)
	}
	for _, affix := range []string{"_test", "_tests", "_spec", "tests", "test", "spec"} {
		base = strings.TrimSuffix(base, affix)
	}
	return strings.Trim(base, "_-")
}

// data reports values that an edit of fixtures replaces; it counts only against a
// constraint that protects them.
func (t *turn) data(e *edit) {
	if len(e.removed) > 0 && !t.moved(e.removed, e.added) {
		t.report(change{kind: "fixture", class: e.class, file: e.file, before: firstText(e.removed), after: firstText(e.added), segment: e.segment})
	}
}

// moved reports whether every removed line is among the added ones.
func (t *turn) moved(removed, added []sessionevents.Line) bool {
	return !slices.ContainsFunc(removed, func(r sessionevents.Line) bool {
		text := strings.TrimSpace(r.Text)
		return text != "" && !slices.ContainsFunc(added, func(a sessionevents.Line) bool { return strings.TrimSpace(a.Text) == text })
	})
}

// report keeps a change until the end of the turn.
func (t *turn) report(c change) { t.changes = append(t.changes, c) }
