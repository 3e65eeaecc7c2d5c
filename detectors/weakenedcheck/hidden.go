package weakenedcheck

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// leaves reports tests that now return before they check anything.
func (t *turn) leaves(e *edit, before, after assertion.Reading) {
	lines := strings.Split(e.after, "\n")
	for _, test := range after.Tests {
		first := ""
		for i := test.Line + 1; i < len(lines) && first == ""; i++ {
			first = strings.TrimSpace(lines[i])
		}
		if strings.TrimSuffix(first, ";") != "return" || !t.inAdded(e, first) {
			continue
		}
		known := slices.ContainsFunc(before.Tests, func(b assertion.Test) bool { return b.Name == test.Name })
		if known {
			t.report(change{kind: "skipped", class: e.class, file: e.file, test: test.Name, after: first, segment: e.segment})
		}
	}
}

// commentedOut reports assertions that are still there as comments.
func (t *turn) commentedOut(e *edit, before assertion.Reading) {
	var hidden strings.Builder
	for _, l := range e.added {
		text := strings.TrimSpace(l.Text)
		for _, open := range []string{"//", "#"} {
			if rest, is := strings.CutPrefix(text, open); is && !strings.HasPrefix(rest, "[") {
				hidden.WriteString(strings.TrimSpace(rest) + "\n")
			}
		}
	}
	if hidden.Len() == 0 {
		return
	}
	for _, a := range t.reader.Read(e.language, hidden.String()).Assertions {
		was := slices.IndexFunc(before.Assertions, func(b assertion.Assertion) bool { return assertion.Same(&a, &b) })
		if was < 0 && !t.existed(e) || strings.ContainsAny(a.Text, "…") {
			continue
		}
		c := change{kind: "commented", class: e.class, file: e.file, before: a.Text, segment: e.segment}
		if was >= 0 {
			c.test = before.Assertions[was].Test
		}
		c.offset, c.long = place(e.segment, a.Text)
		t.changes = slices.DeleteFunc(t.changes, func(o change) bool { return o.kind == "removed" && o.file == e.file && o.before == a.Text })
		t.report(c)
	}
}

// existed reports whether a file that is written whole was there before: it was read, or
// a check named it.
func (t *turn) existed(e *edit) bool {
	if e.segment.Diff.Op != sessionevents.DiffCreate || len(t.Before.Reads(e.file)) > 0 {
		return e.segment.Diff.Op == sessionevents.DiffCreate
	}
	base := e.file[strings.LastIndexByte(e.file, '/')+1:]
	return slices.ContainsFunc(t.memory.Failures, func(f failure) bool { return strings.Contains(f.Text, base) })
}

// swallowed reports assertions whose error is caught and dropped.
func (t *turn) swallowed(e *edit) {
	for _, p := range t.Swallowing {
		for _, at := range p.FindAllStringSubmatchIndex(e.after, -1) {
			body := e.after[max(0, at[0]-600):at[0]]
			if k := max(strings.LastIndex(body, "try"), strings.LastIndex(body, "begin")); k >= 0 {
				body = body[k:]
			}
			r := t.reader.Read(e.language, dedented(body))
			if len(r.Assertions) == 0 || !t.inAdded(e, e.after[at[0]:at[1]]) || strings.Contains(e.before, e.after[at[0]:at[1]]) {
				continue
			}
			a := r.Assertions[len(r.Assertions)-1]
			c := change{kind: "swallowed", class: e.class, file: e.file, before: a.Text, segment: e.segment}
			if full := t.reader.Read(e.language, e.after[:at[0]]); len(full.Tests) > 0 {
				c.test = full.Tests[len(full.Tests)-1].Name
			}
			first, _, _ := strings.Cut(strings.TrimSpace(e.after[at[0]:at[1]]), "\n")
			c.offset, c.long = place(e.segment, first)
			t.report(c)
		}
	}
}

// dedented is a piece after its first line, without what may be left of that.
func dedented(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// inAdded reports whether the first line of a text is among the added ones.
func (t *turn) inAdded(e *edit, text string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return slices.ContainsFunc(e.added, func(l sessionevents.Line) bool { return strings.Contains(l.Text, strings.TrimSpace(first)) })
}

// hollow reports new tests that check nothing, not even through a helper.
func (t *turn) hollow(e *edit, before, after assertion.Reading) {
	lines := strings.Split(e.after, "\n")
	for i, test := range after.Tests {
		end := len(lines)
		if i+1 < len(after.Tests) {
			end = after.Tests[i+1].Line
		}
		if test.Asserts > 0 || end-test.Line < 3 || slices.ContainsFunc(before.Tests, func(b assertion.Test) bool { return b.Name == test.Name }) {
			continue
		}
		body := strings.Join(lines[min(test.Line+1, len(lines)):end], "\n")
		if strings.Contains(body, "(") && !t.Checking.MatchString(body) && !strings.HasPrefix(test.Name, "Benchmark") && !strings.HasPrefix(test.Name, "Example") && !strings.HasPrefix(strings.TrimSpace(lines[test.Line]), "class") {
			t.report(change{kind: "hollow", class: e.class, file: e.file, test: test.Name, segment: e.segment})
		}
	}
}
