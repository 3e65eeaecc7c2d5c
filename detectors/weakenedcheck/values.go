package weakenedcheck

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
)

// answered reports that a mock gives another answer than before.
func (t *turn) answered(e *edit) {
	for _, r := range e.removed {
		at := t.Answers.FindStringIndex(r.Text)
		if at == nil || kept(e.added, r.Text) {
			continue
		}
		for _, a := range e.added {
			if other := t.Answers.FindStringIndex(a.Text); other != nil && strings.TrimSpace(a.Text[:other[1]]) == strings.TrimSpace(r.Text[:at[1]]) {
				c := change{kind: "fixture", class: e.class, file: e.file, before: strings.TrimSpace(r.Text[at[1]:]), after: strings.TrimSpace(a.Text[other[1]:]), segment: e.segment}
				c.test = t.testAround(e, a.Text)
				c.offset, c.long = place(e.segment, strings.TrimSpace(a.Text))
				t.report(c)
				return
			}
		}
	}
}

// former is the detail of a change that a comment admits.
const former = "former"

// formerValues reports bounds beside which a comment says that they were stricter:
// "# was 0.95".
func (t *turn) formerValues(e *edit, after assertion.Reading) {
	for i := range after.Assertions {
		a := after.Assertions[i]
		n, is := assertion.Number(a.Expected)
		if a.Kind != assertion.Order || !is {
			continue
		}
		for _, l := range e.added {
			code, comment, found := cutComment(l.Text)
			m := t.Formerly.FindStringSubmatch(comment)
			if !found || m == nil || !strings.Contains(a.Text, strings.TrimSpace(code)) || strings.TrimSpace(code) == "" {
				continue
			}
			was, is := assertion.Number(m[t.Formerly.SubexpIndex("n")])
			if is && (a.Operator[0] == '>' && was > n || a.Operator[0] == '<' && was < n) {
				c := change{kind: "loosened", class: e.class, file: e.file, test: a.Test, before: m[t.Formerly.SubexpIndex("n")], after: strings.TrimSpace(code), detail: former, segment: e.segment}
				c.offset, c.long = place(e.segment, strings.TrimSpace(code))
				t.report(c)
			}
		}
	}
}

// cutComment is a line's code and its comment.
func cutComment(line string) (code, comment string, found bool) {
	for _, mark := range []string{"#", "//"} {
		if code, comment, found = strings.Cut(line, mark); found {
			return code, comment, true
		}
	}
	return line, "", false
}
