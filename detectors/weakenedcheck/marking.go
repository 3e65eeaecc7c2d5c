package weakenedcheck

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// marking finds marks in added lines that weaken a check: skips, focus, `|| true`.
type marking struct{ *turn }

// marked reports marks in added lines that weaken a check: skips, focus, `|| true`.
func (j *marking) marked(e *edit) {
	masked := e.maskedLines()
	offset := 0
	for i, l := range e.added {
		at := offset
		offset += len(l.Text) + 1
		if kept(e.removed, l.Text) || slices.Contains(j.memory.Unmarked, e.file+"\x00"+strings.TrimSpace(l.Text)) {
			continue
		}
		for k := range j.Marks {
			m := &j.Marks[k]
			if !slices.Contains(m.In, e.class) {
				continue
			}
			found := m.Patterns.FindStringSubmatchIndex(l.Text)
			if found == nil || masked != nil && misplaced(masked[i], l.Text, found[0], m.Comment) {
				continue
			}
			text := l.Text[found[0]:found[1]]
			if slices.ContainsFunc(e.removed, func(r sessionevents.Line) bool { return strings.Contains(r.Text, text) }) {
				continue // the line had it before
			}
			j.mark(e, m, i, at+found[0], text, ruleOf(l.Text, found))
			break
		}
	}
}

// unmarked remembers the lines with a mark that an edit removes: who puts one back weakens nothing.
func (j *marking) unmarked(e *edit) {
	for _, l := range e.removed {
		if slices.ContainsFunc(j.Marks, func(m mark) bool { return slices.Contains(m.In, e.class) && m.Patterns.MatchString(l.Text) }) {
			j.memory.Unmarked = detect.Once(j.memory.Unmarked, e.file+"\x00"+strings.TrimSpace(l.Text), j.Limits.Names)
		}
	}
}

// misplaced reports whether a mark is not where it works: a call in a comment or string,
// or a comment's mark in code. Attributes and annotations are code everywhere.
func misplaced(masked, text string, at int, comment bool) bool {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	hidden := at < len(masked) && at < len(text) && masked[at] == ' '
	for _, attribute := range []string{"#[", "#![", "@", "[", "#pragma"} {
		if strings.HasPrefix(text[min(at, len(text)):], attribute) {
			return !comment && hidden
		}
	}
	return hidden != comment
}

// ruleOf is the linter's rule that a mark names, "" for none.
func ruleOf(text string, found []int) string {
	for g := 2; g+1 < len(found); g += 2 {
		if found[g] >= 0 && found[g+1] > found[g] {
			return text[found[g]:found[g+1]]
		}
	}
	return ""
}

// mark reports one mark. What skips a test that the same edit writes, or under a
// condition that the machine lacks something, skips no check that there was.
func (j *marking) mark(e *edit, m *mark, line, offset int, text, rule string) {
	c := change{kind: m.Kind, class: e.class, file: e.file, after: strings.TrimSpace(e.added[line].Text), rule: rule, segment: e.segment, offset: offset, long: len(text)}
	if e.class == tests && j.reader.Reads(e.language) {
		c.test = e.testAround(e.added[line].Text)
	}
	switch m.Kind {
	case "silenced":
		c.detail = strings.TrimSpace(text)
	case "skipped":
		if c.test != "" && e.fresh(c.test) {
			return
		}
		if e.onCondition(line) {
			c.detail = conditionally
		}
	case "mocked":
		if a, itself := j.answersItself(e, c.after); itself {
			c.kind, c.after = "emptied", a
			break
		}
		if c.test == "" || e.fresh(c.test) {
			c.detail = "fresh"
		}
	case "conditional":
		if !strings.Contains(e.after, "assert") && !strings.Contains(e.after, "expect") && !strings.Contains(e.after, "imeout") {
			return
		}
	case "unchecked":
		if e.class != tests && e.class != fixtures && !e.ofCheck(line, text) {
			return
		}
		if e.class == continuous && len(e.removed) == 0 && len(e.added) > newStep {
			c.detail = conditionally // a new step, which blocks nothing
		}
	}
	j.report(c)
}

// answersItself returns the assertion of an edit that checks only what a mock in it answers: "price" replaced
// by one that returns 12, and asserted to be 12.
func (j *marking) answersItself(e *edit, mark string) (string, bool) {
	for _, p := range j.Replaces {
		m := p.FindStringSubmatch(mark)
		if m == nil {
			continue
		}
		of, name := m[p.SubexpIndex("of")], m[p.SubexpIndex("name")]
		for _, a := range j.read(e.language, e.after).Assertions {
			if code.Holds(a.Subject, of) && calls(a.Subject, name) &&
				assertion.Literal(a.Expected) && j.answered(e, a.Expected) {
				return a.Text, true
			}
		}
	}
	return "", false
}

// calls reports whether an expression ends in a call of a name, or in the name.
func calls(expression, name string) bool {
	callee, _, _ := strings.Cut(expression, "(")
	return strings.HasSuffix(callee, "."+name)
}

// answered reports whether a mock in the added lines answers a value.
func (j *marking) answered(e *edit, value string) bool {
	return slices.ContainsFunc(e.added, func(l sessionevents.Line) bool {
		at := j.Answers.FindStringIndex(l.Text)
		if at == nil {
			return false
		}
		rest, is := strings.CutPrefix(strings.TrimSpace(l.Text[at[1]:]), value)
		return is && (rest == "" || !code.IsName(rest[0]) && rest[0] != '.')
	})
}

// conditionally is the detail of what holds in some places only.
const conditionally = "conditionally"

// newStep is the number of added lines from which an edit adds a step of its own.
const newStep = 2

// unlisted reports checks of CI or settings whose line is gone or a comment now.
func (j *marking) unlisted(e *edit) {
	if e.class != continuous {
		return
	}
	for _, r := range e.removed {
		check := j.Checks.FindString(r.Text)
		if check == "" || strings.HasPrefix(strings.TrimSpace(r.Text), "#") || strings.Contains(r.Text, "name:") {
			continue
		}
		still := slices.ContainsFunc(e.added, func(a sessionevents.Line) bool {
			return !strings.HasPrefix(strings.TrimSpace(a.Text), "#") && j.Checks.MatchString(a.Text)
		})
		if !still {
			j.report(change{kind: "unchecked", class: e.class, file: e.file, before: strings.TrimSpace(r.Text), detail: "removed", segment: e.segment})
		}
	}
}
