package weakenedcheck

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/syntax"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// marked reports marks in added lines that weaken a check: skips, focus, `|| true`.
func (t *turn) marked(e *edit) {
	masked := t.maskedLines(e)
	offset := 0
	for i, l := range e.added {
		at := offset
		offset += len(l.Text) + 1
		if kept(e.removed, l.Text) || slices.Contains(t.memory.Unmarked, e.file+"\x00"+strings.TrimSpace(l.Text)) {
			continue
		}
		for k := range t.Marks {
			m := &t.Marks[k]
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
			t.mark(e, m, i, at+found[0], text, ruleOf(l.Text, found))
			break
		}
	}
}

// unmarked remembers the lines with a mark that an edit removes: who puts one back weakens nothing.
func (t *turn) unmarked(e *edit) {
	for _, l := range e.removed {
		if slices.ContainsFunc(t.Marks, func(m mark) bool { return slices.Contains(m.In, e.class) && m.Patterns.MatchString(l.Text) }) {
			t.memory.Unmarked = bounded(t.memory.Unmarked, e.file+"\x00"+strings.TrimSpace(l.Text), t.Limits.Names)
		}
	}
}

// maskedLines are the added lines without comments and strings, nil where the language
// is not known.
func (t *turn) maskedLines(e *edit) []string {
	if e.class == continuous || e.class == settings || !syntax.Reads(e.language) {
		return nil
	}
	lines := make([]string, len(e.added))
	for i, l := range e.added {
		lines[i] = l.Text
	}
	out := strings.Split(syntax.Read(e.language, strings.Join(lines, "\n")).Code(), "\n")
	if len(out) != len(lines) {
		return nil
	}
	return out
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

// kept reports whether a line was there before.
func kept(removed []sessionevents.Line, text string) bool {
	trimmed := strings.TrimSpace(text)
	return trimmed == "" || slices.ContainsFunc(removed, func(r sessionevents.Line) bool { return strings.TrimSpace(r.Text) == trimmed })
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
func (t *turn) mark(e *edit, m *mark, line, offset int, text, rule string) {
	c := change{kind: m.Kind, class: e.class, file: e.file, after: strings.TrimSpace(e.added[line].Text), rule: rule, segment: e.segment, offset: offset, long: len(text)}
	if e.class == tests && t.reader.Reads(e.language) {
		c.test = t.testAround(e, e.added[line].Text)
	}
	switch m.Kind {
	case "silenced":
		c.detail = strings.TrimSpace(text)
	case "skipped":
		if c.test != "" && t.fresh(e, c.test) {
			return
		}
		if t.onCondition(e, line) {
			c.detail = conditionally
		}
	case "mocked":
		if c.test == "" || t.fresh(e, c.test) {
			c.detail = "fresh"
		}
	case "conditional":
		if !strings.Contains(e.after, "assert") && !strings.Contains(e.after, "expect") && !strings.Contains(e.after, "imeout") {
			return
		}
	case "unchecked":
		if e.class != tests && e.class != fixtures && !t.ofCheck(e, line, text) {
			return
		}
		if e.class == continuous && len(e.removed) == 0 && len(e.added) > newStep {
			c.detail = conditionally // a new step, which blocks nothing
		}
	}
	t.report(c)
}

// conditionally is the detail of what holds in some places only.
const conditionally = "conditionally"

// onCondition reports whether a skip depends on what the machine has: a call under a
// condition or in a helper, a mark that takes one.
func (t *turn) onCondition(e *edit, line int) bool {
	text := e.added[line].Text
	if t.Condition.MatchString(text) {
		return true
	}
	above, _, _ := strings.Cut(e.after, text+"\n")
	above = strings.TrimRight(above, " \t\n")
	above = strings.TrimSpace(above[strings.LastIndexByte(above, '\n')+1:])
	return t.Condition.MatchString(above)
}

// newStep is the number of added lines from which an edit adds a step of its own.
const newStep = 2

// ofCheck reports whether a shell's way to hide a result belongs to a check: the line,
// or the one that goes on in it, runs one.
func (t *turn) ofCheck(e *edit, line int, text string) bool {
	command := e.added[line].Text
	switch {
	case strings.TrimSpace(text) == "exit 0":
		above, _, _ := strings.Cut(e.after, command+"\n")
		above = strings.TrimRight(above, " \t\n")
		return t.Checks.MatchString(above[strings.LastIndexByte(above, '\n')+1:])
	case !strings.ContainsAny(text, "|;&") && !strings.HasPrefix(text, "\t-"):
		return true
	}
	for i := line - 1; i >= 0 && strings.HasSuffix(strings.TrimSpace(e.added[i].Text), "\\"); i-- {
		command = e.added[i].Text + command
	}
	return t.Checks.MatchString(command)
}

// testAround is the test to which an added line belongs: the next head below a mark that
// is above one, else the last above.
func (t *turn) testAround(e *edit, text string) string {
	at := strings.Index(e.after, text)
	if at < 0 {
		return ""
	}
	r := t.reader.Read(e.language, e.after)
	line := strings.Count(e.after[:at], "\n")
	trimmed := strings.TrimSpace(text)
	above := strings.HasPrefix(trimmed, "@") || strings.HasPrefix(trimmed, "#[") || strings.HasPrefix(trimmed, "[")
	name := ""
	for _, test := range r.Tests {
		if test.Line > line {
			if above && test.Line-line <= 4 {
				return test.Name
			}
			break
		}
		name = test.Name
	}
	return name
}

// fresh reports whether an edit writes a new test: its head is added and was not there.
func (t *turn) fresh(e *edit, name string) bool {
	for _, b := range t.reader.Read(e.language, e.before).Tests {
		if b.Name == name {
			return false
		}
	}
	if f := t.memory.file(e.file); f != nil && !f.Own && slices.Contains(f.Tests, name) && !slices.Contains(f.OwnTests, name) {
		return e.segment.Diff.Op != sessionevents.DiffCreate
	}
	return !t.existed(e)
}

// unlisted reports checks of CI or settings whose line is gone or a comment now.
func (t *turn) unlisted(e *edit) {
	if e.class != continuous {
		return
	}
	for _, r := range e.removed {
		check := t.Checks.FindString(r.Text)
		if check == "" || strings.HasPrefix(strings.TrimSpace(r.Text), "#") || strings.Contains(r.Text, "name:") {
			continue
		}
		still := slices.ContainsFunc(e.added, func(a sessionevents.Line) bool {
			return !strings.HasPrefix(strings.TrimSpace(a.Text), "#") && t.Checks.MatchString(a.Text)
		})
		if !still {
			t.report(change{kind: "unchecked", class: e.class, file: e.file, before: strings.TrimSpace(r.Text), detail: "removed", segment: e.segment})
		}
	}
}
