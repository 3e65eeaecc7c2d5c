package weakenedcheck

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// suite compares what an edit of tests checks before and after.
type suite struct{ *turn }

// tested compares what an edit of tests checks before and after.
func (j *suite) tested(e *edit) {
	s := e.segment
	known := j.memory.file(e.file)
	if s.Diff.Op == sessionevents.DiffDelete {
		c := change{kind: "deleted", class: e.class, file: e.file, segment: s}
		if known == nil && len(j.Before.Reads(e.file)) == 0 {
			c.detail = unseen
		}
		if known == nil || !known.Own {
			j.report(c)
		}
		return
	}
	if s.Diff.Op == sessionevents.DiffRename && j.classOf(j.Before.Path(s.Diff.OldPath), e.language) == tests && e.class != tests {
		j.report(change{kind: "renamed", class: tests, file: s.Diff.OldPath, after: e.file, segment: s})
	}
	if !j.reader.Reads(e.language) {
		return
	}
	before, after := j.read(e.language, e.before), j.read(e.language, e.after)
	rewritten := s.Diff.Op == sessionevents.DiffCreate && len(e.removed) == 0 && known != nil
	if rewritten {
		before.Assertions = known.Assertions
		for _, name := range known.Tests {
			before.Tests = append(before.Tests, assertion.Test{Name: name})
		}
	}
	j.remember(e, before, after)
	j.compared(e, before, after)
	j.dropped(e, before, after)
	j.commentedOut(e, before)
	j.swallowed(e)
	j.hollow(e, before, after)
	j.formerValues(e, after)
	j.answered(e)
	j.step(e)
	j.leaves(e, before, after)
}

// unseen is the detail of a file of which nobody knows whether the session made it.
const unseen = "unseen"

// compared reports what became of the assertions.
func (j *suite) compared(e *edit, before, after assertion.Reading) {
	for _, c := range j.reader.Pair(before.Assertions, after.Assertions) {
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
		j.report(found)
	}
	for i := range after.Assertions {
		a := &after.Assertions[i]
		constant := assertion.Literal(a.Subject) || strings.Contains(strings.ToLower(a.Text), "true") || a.Subject == "1"
		if a.Kind == assertion.Trivial && constant && !slices.ContainsFunc(before.Assertions, func(b assertion.Assertion) bool { return b.Text == a.Text }) &&
			!slices.ContainsFunc(j.changes, func(c change) bool { return c.kind == "emptied" && c.file == e.file && c.test == a.Test }) {
			offset, long := place(e.segment, a.Text)
			j.report(change{kind: "emptied", class: e.class, file: e.file, test: a.Test, after: a.Text, segment: e.segment, offset: offset, long: long})
		}
	}
}

// removedTest reports whether a test is gone with its head.
func removedTest(name string, before, after assertion.Reading) bool {
	return name != "" && declares(before, name) && !declares(after, name)
}

// declares reports whether a reading has a test of this name.
func declares(r assertion.Reading, name string) bool {
	return slices.ContainsFunc(r.Tests, func(t assertion.Test) bool { return t.Name == name })
}

// dropped reports tests whose heads are gone: deleted, or renamed so that the runner no
// longer finds them. Tests that came in the same edit replace those with the likest names.
func (j *suite) dropped(e *edit, before, after assertion.Reading) {
	var fresh, gone []string
	for _, a := range after.Tests {
		if !declares(before, a.Name) {
			fresh = append(fresh, a.Name)
		}
	}
	for _, b := range before.Tests {
		if !removedTest(b.Name, before, after) {
			continue
		}
		if other := j.outOfPattern(e, b.Name); other != "" {
			j.report(change{kind: "renamed", class: e.class, file: e.file, test: b.Name, after: other, segment: e.segment})
			continue
		}
		if !j.addedTest(b.Name) && (len(fresh) == 0 || !j.Table.MatchString(e.after)) {
			gone = append(gone, b.Name)
		}
	}
	for _, name := range fresh {
		gone = withoutLikest(gone, name)
	}
	for _, name := range gone {
		j.report(change{kind: "deleted", class: e.class, file: e.file, test: name, before: name, segment: e.segment})
	}
}

// withoutLikest leaves out the name that is most like another, the first of several.
func withoutLikest(names []string, other string) []string {
	if len(names) == 0 {
		return names
	}
	likest := slices.MaxFunc(names, func(a, b string) int { return cmp.Compare(similarity.Names(a, other), similarity.Names(b, other)) })
	at := slices.Index(names, likest)
	return slices.Delete(names, at, at+1)
}

// outOfPattern is the name under which a test is still there, though no runner finds it.
func (j *suite) outOfPattern(e *edit, name string) string {
	bare := strings.TrimPrefix(strings.TrimPrefix(name, "test_"), "Test")
	for _, l := range e.added {
		line := strings.TrimSpace(l.Text)
		if !strings.Contains(line, "(") || len(bare) < 4 {
			continue
		}
		for _, word := range []string{"def ", "func ", "fn ", "async def "} {
			rest, is := strings.CutPrefix(line, word)
			if !is {
				continue
			}
			declared, _, _ := strings.Cut(rest, "(")
			if strings.Contains(strings.ToLower(declared), strings.ToLower(bare)) && declared != name && !strings.HasPrefix(strings.ToLower(declared), "test") && strings.HasSuffix(declared, bare) {
				return declared
			}
		}
	}
	return ""
}

// remember keeps what the file checks now, and what the session added.
func (j *suite) remember(e *edit, before, after assertion.Reading) {
	m, limit := j.memory, j.Limits.Assertions
	f := m.keep(e.file, j.Limits.Files)
	if e.segment.Diff.Op == sessionevents.DiffCreate && len(e.removed) == 0 {
		f.Own = f.Own || len(f.Tests) == 0 && len(f.Assertions) == 0 && !e.existed()
		f.Tests, f.Assertions = nil, nil
	}
	for _, a := range after.Tests {
		if !declares(before, a.Name) {
			j.added = append(j.added, testKey+a.Name)
		}
		if !declares(before, a.Name) && e.segment.Diff.Op != sessionevents.DiffCreate {
			f.OwnTests = detect.Once(f.OwnTests, a.Name, limit)
		}
		f.Tests = detect.Once(f.Tests, a.Name, limit)
	}
	f.Assertions = slices.DeleteFunc(f.Assertions, func(a assertion.Assertion) bool {
		return slices.ContainsFunc(before.Assertions, func(b assertion.Assertion) bool { return assertion.Same(&a, &b) })
	})
	for _, a := range after.Assertions {
		if !slices.ContainsFunc(f.Assertions, func(b assertion.Assertion) bool { return assertion.Same(&a, &b) && a.Test == b.Test }) && len(f.Assertions) < limit {
			f.Assertions = append(f.Assertions, a)
		}
		if !slices.ContainsFunc(before.Assertions, func(b assertion.Assertion) bool { return assertion.Same(&a, &b) }) {
			j.added = append(j.added, a.Subject+"\x00"+a.Expected)
		}
	}
}

// leaves reports tests that now return before they check anything.
func (j *suite) leaves(e *edit, before, after assertion.Reading) {
	lines := strings.Split(e.after, "\n")
	for _, test := range after.Tests {
		first := ""
		for i := test.Line + 1; i < len(lines) && first == ""; i++ {
			first = strings.TrimSpace(lines[i])
		}
		if strings.TrimSuffix(first, ";") != "return" || !e.inAdded(first) {
			continue
		}
		known := declares(before, test.Name)
		if known {
			j.report(change{kind: "skipped", class: e.class, file: e.file, test: test.Name, after: first, segment: e.segment})
		}
	}
}

// commentedOut reports assertions that are still there as comments.
func (j *suite) commentedOut(e *edit, before assertion.Reading) {
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
	for _, a := range j.read(e.language, hidden.String()).Assertions {
		was := slices.IndexFunc(before.Assertions, func(b assertion.Assertion) bool { return assertion.Same(&a, &b) })
		if was < 0 && !e.existed() || strings.ContainsAny(a.Text, "…") {
			continue
		}
		c := change{kind: "commented", class: e.class, file: e.file, before: a.Text, segment: e.segment}
		if was >= 0 {
			c.test = before.Assertions[was].Test
		}
		c.offset, c.long = place(e.segment, a.Text)
		j.changes = slices.DeleteFunc(j.changes, func(o change) bool { return o.kind == "removed" && o.file == e.file && o.before == a.Text })
		j.report(c)
	}
}

// swallowed reports assertions whose error is caught and dropped.
func (j *suite) swallowed(e *edit) {
	for _, p := range j.Swallowing {
		for _, at := range p.FindAllStringSubmatchIndex(e.after, -1) {
			body := e.after[max(0, at[0]-600):at[0]]
			if k := max(strings.LastIndex(body, "try"), strings.LastIndex(body, "begin")); k >= 0 {
				body = body[k:]
			}
			r := j.read(e.language, dedented(body))
			if len(r.Assertions) == 0 || !e.inAdded(e.after[at[0]:at[1]]) || strings.Contains(e.before, e.after[at[0]:at[1]]) {
				continue
			}
			a := r.Assertions[len(r.Assertions)-1]
			c := change{kind: "swallowed", class: e.class, file: e.file, before: a.Text, segment: e.segment}
			if full := j.read(e.language, e.after[:at[0]]); len(full.Tests) > 0 {
				c.test = full.Tests[len(full.Tests)-1].Name
			}
			first, _, _ := strings.Cut(strings.TrimSpace(e.after[at[0]:at[1]]), "\n")
			c.offset, c.long = place(e.segment, first)
			j.report(c)
		}
	}
}

// dedented is a piece after its first line, without what may be left of that.
func dedented(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// hollow reports new tests that check nothing, not even through a helper.
func (j *suite) hollow(e *edit, before, after assertion.Reading) {
	lines := strings.Split(e.after, "\n")
	for i, test := range after.Tests {
		end := len(lines)
		if i+1 < len(after.Tests) {
			end = after.Tests[i+1].Line
		}
		if test.Asserts > 0 || end-test.Line < 3 || declares(before, test.Name) {
			continue
		}
		body := strings.Join(lines[min(test.Line+1, len(lines)):end], "\n")
		if strings.Contains(body, "(") && !j.Checking.MatchString(body) && !strings.HasPrefix(test.Name, "Benchmark") && !strings.HasPrefix(test.Name, "Example") && !strings.HasPrefix(strings.TrimSpace(lines[test.Line]), "class") {
			j.report(change{kind: "hollow", class: e.class, file: e.file, test: test.Name, segment: e.segment})
		}
	}
}

// answered reports that a mock gives another answer than before.
func (j *suite) answered(e *edit) {
	for _, r := range e.removed {
		at := j.Answers.FindStringIndex(r.Text)
		if at == nil || kept(e.added, r.Text) {
			continue
		}
		for _, a := range e.added {
			if other := j.Answers.FindStringIndex(a.Text); other != nil && strings.TrimSpace(a.Text[:other[1]]) == strings.TrimSpace(r.Text[:at[1]]) {
				c := change{kind: "fixture", class: e.class, file: e.file, before: strings.TrimSpace(r.Text[at[1]:]), after: strings.TrimSpace(a.Text[other[1]:]), segment: e.segment}
				c.test = e.testAround(a.Text)
				c.offset, c.long = place(e.segment, strings.TrimSpace(a.Text))
				j.report(c)
				return
			}
		}
	}
}

// former is the detail of a change that a comment admits.
const former = "former"

// formerValues reports bounds beside which a comment says that they were stricter:
// "# was 0.95".
func (j *suite) formerValues(e *edit, after assertion.Reading) {
	for i := range after.Assertions {
		a := after.Assertions[i]
		n, is := assertion.Number(a.Expected)
		if a.Kind != assertion.Order || !is {
			continue
		}
		for _, l := range e.added {
			code, comment, found := cutComment(l.Text)
			m := j.Formerly.FindStringSubmatch(comment)
			if !found || m == nil || !strings.Contains(a.Text, strings.TrimSpace(code)) || strings.TrimSpace(code) == "" {
				continue
			}
			was, is := assertion.Number(m[j.Formerly.SubexpIndex("n")])
			if is && (a.Operator[0] == '>' && was > n || a.Operator[0] == '<' && was < n) {
				c := change{kind: "loosened", class: e.class, file: e.file, test: a.Test, before: m[j.Formerly.SubexpIndex("n")], after: strings.TrimSpace(code), detail: former, segment: e.segment}
				c.offset, c.long = place(e.segment, strings.TrimSpace(code))
				j.report(c)
			}
		}
	}
}

// step reports a command of a test script that is gone after it failed: what the failing
// run printed names it.
func (j *suite) step(e *edit) {
	if e.language != "shell" {
		return
	}
	base := path.Base(e.file)
	for i := len(j.memory.Failures) - 1; i >= 0; i-- {
		f := &j.memory.Failures[i]
		if !slices.Contains(f.Names, base) {
			continue
		}
		for _, r := range e.removed {
			if line := strings.TrimSpace(r.Text); !kept(e.added, line) && !strings.HasPrefix(line, "#") && blamed(line, e.added, f.Text) {
				j.report(change{kind: "removed", class: e.class, file: e.file, before: line, segment: e.segment})
				return
			}
		}
		return
	}
}

// blamed reports whether a failing run names a path or flag of a command that no added
// line has.
func blamed(line string, added []sessionevents.Line, printed string) bool {
	words := strings.Fields(line)
	if len(words) < 2 || strings.Contains(line, "=") || words[0] == "echo" || words[0] == "printf" {
		return false
	}
	return slices.ContainsFunc(words[1:], func(w string) bool {
		w = strings.Trim(w, `"'/`)
		return len(w) >= 4 && !strings.HasPrefix(w, "-") && strings.Contains(printed, w) && !slices.ContainsFunc(added, func(a sessionevents.Line) bool {
			return !strings.HasPrefix(strings.TrimSpace(a.Text), "#") && strings.Contains(a.Text, words[0]+" ") && strings.Contains(a.Text, w)
		})
	})
}
