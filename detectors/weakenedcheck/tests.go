package weakenedcheck

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// tested compares what an edit of tests checks before and after.
func (t *turn) tested(e *edit) {
	s := e.segment
	known := t.memory.file(e.file)
	if s.Diff.Op == sessionevents.DiffDelete {
		c := change{kind: "deleted", class: e.class, file: e.file, segment: s}
		if known == nil && len(t.Before.Reads(e.file)) == 0 {
			c.detail = unseen
		}
		if known == nil || !known.Own {
			t.report(c)
		}
		return
	}
	if s.Diff.Op == sessionevents.DiffRename && t.classOf(t.Before.Path(s.Diff.OldPath), e.language) == tests && e.class != tests {
		t.report(change{kind: "renamed", class: tests, file: s.Diff.OldPath, after: e.file, segment: s})
	}
	if !t.reader.Reads(e.language) {
		return
	}
	before, after := t.reader.Read(e.language, e.before), t.reader.Read(e.language, e.after)
	rewritten := s.Diff.Op == sessionevents.DiffCreate && len(e.removed) == 0 && known != nil
	if rewritten {
		before.Assertions = known.Assertions
		for _, name := range known.Tests {
			before.Tests = append(before.Tests, assertion.Test{Name: name})
		}
	}
	t.remember(e, before, after)
	t.compared(e, before, after)
	t.dropped(e, before, after)
	t.commentedOut(e, before)
	t.swallowed(e)
	t.hollow(e, before, after)
	t.formerValues(e, after)
	t.answered(e)
	t.step(e)
	t.leaves(e, before, after)
}

// compared reports what became of the assertions.
func (t *turn) compared(e *edit, before, after assertion.Reading) {
	for _, c := range t.reader.Pair(before.Assertions, after.Assertions) {
		if c.How == assertion.Removed && removedTest(c.Before.Test, before, after) {
			continue // the test as a whole is reported
		}
		found := change{kind: string(c.How), class: e.class, file: e.file, test: c.Before.Test, before: c.Before.Text, after: c.After.Text, segment: e.segment}
		if found.test == "" {
			found.test = c.After.Test
		}
		if c.How == assertion.Revalued {
			found.before, found.after = c.Before.Expected, c.After.Expected
			found.detail = c.Before.Subject
		}
		found.offset, found.long = place(e.segment, c.After.Text)
		found.around = e.before + e.after
		t.report(found)
	}
	for i := range after.Assertions {
		a := &after.Assertions[i]
		constant := assertion.Literal(a.Subject) || strings.Contains(strings.ToLower(a.Text), "true") || a.Subject == "1"
		if a.Kind == assertion.Trivial && constant && !slices.ContainsFunc(before.Assertions, func(b assertion.Assertion) bool { return b.Text == a.Text }) &&
			!slices.ContainsFunc(t.changes, func(c change) bool { return c.kind == "emptied" && c.file == e.file && c.test == a.Test }) {
			offset, long := place(e.segment, a.Text)
			t.report(change{kind: "emptied", class: e.class, file: e.file, test: a.Test, after: a.Text, segment: e.segment, offset: offset, long: long})
		}
	}
}

// removedTest reports whether a test is gone with its head.
func removedTest(name string, before, after assertion.Reading) bool {
	is := func(list []assertion.Test) bool {
		return slices.ContainsFunc(list, func(x assertion.Test) bool { return x.Name == name })
	}
	return name != "" && is(before.Tests) && !is(after.Tests)
}

// place is where a text begins in a DIFF's added lines, or nothing.
func place(s *sessionevents.Segment, text string) (offset, long int) {
	first, _, _ := strings.Cut(text, " {")
	for _, l := range s.Diff.Added() {
		if trimmed := strings.TrimSpace(l.Text); trimmed != "" && (strings.Contains(trimmed, first) || strings.HasPrefix(text, trimmed)) && text != "" {
			return offset + strings.Index(l.Text, trimmed), len(trimmed)
		}
		offset += len(l.Text) + 1
	}
	return 0, 0
}

// unseen is the detail of a file of which nobody knows whether the session made it.
const unseen = "unseen"
