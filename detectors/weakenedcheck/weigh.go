package weakenedcheck

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/assertion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// scales decide whether a change counts, and how much.
type scales struct{ *turn }

// verdict is what a change is worth.
type verdict struct {
	cost       int
	logOnly    bool
	suppressed string
	confidence float64
	failure    *failure    // the check that failed before
	protection *protection // the sentence that rules it out
}

// content are the kinds that follow from a change of the code: expectations of a
// behaviour that is another now.
var content = []string{"removed", "inverted", "loosened", "revalued", "deleted", "accepted", "renamed", "slowed", "mocked", "fixture", "redirected"}

// demandedKinds count where the task is to get a check to pass, though this session did
// not see it fail.
var demandedKinds = []string{"removed", "loosened", "revalued", "inverted", "lowered", "excluded", "slowed", "retried", "silenced"}

// weigh decides whether a change counts: a check failed or is demanded, and neither a
// person nor the code's own change explains it.
func (j *scales) weigh(c *change) (verdict, bool) {
	k, w := j.kinds[c.kind], j.requests()
	if k == nil {
		return verdict{}, false
	}
	failed := j.failedBefore(c)
	v := verdict{cost: cost, confidence: 0.75, failure: failed}
	if p, is := w.protected[c.kind]; is && j.covers(&p, c) {
		v.protection = &p
	}
	own := !k.Own && c.detail != former && c.class == tests && j.memory.own(c.file, c.test)
	switch {
	case v.protection != nil && !own:
		v.cost, v.confidence = brokenCost, 0.9
		return v, true
	case w.asked[c.kind]:
		v.suppressed = detect.UserDirected
		return v, failed != nil || k.Blatant
	case j.needsConstraint(c, failed):
		return v, false
	}
	if c.kind == "silenced" && explained(c.after) && !slices.Contains(j.Serious, c.rule) {
		v.logOnly = true
	}
	v.logOnly = v.logOnly || w.allowed[c.kind] && c.file == ""
	excused := slices.Contains(content, c.kind) && j.follows(c) && !j.hollowed(c, failed)
	doubtful := excused && j.doubtful(c, failed)
	v.logOnly = v.logOnly || doubtful
	switch {
	case excused && !doubtful && !(w.broken && failed != nil && c.kind != "deleted"):
		return v, false
	case own:
		v.logOnly = true
		return v, failed != nil
	case failed != nil, w.broken && slices.Contains(demandedKinds, c.kind), w.keeps[c.kind] && j.lost(c):
		return v, true
	case k.Blatant && c.class != "" && c.detail != unseen:
		return v, true
	}
	v.logOnly = true
	v.confidence = 0.5
	return v, k.Blatant || w.demanded
}

// hollowed reports whether a check that failed lets through now what it refused: of a value that became
// one that there is a value at all, or one of several of which one is enough. No change of the code
// explains that.
func (j *scales) hollowed(c *change, failed *failure) bool {
	if c.kind != "loosened" || failed == nil {
		return false
	}
	language := languageOf(c.file)
	before, after := j.read(language, c.before).Assertions, j.read(language, c.after).Assertions
	if len(before) != 1 || len(after) != 1 {
		return false
	}
	if len(after[0].Either) > 0 || after[0].Kind == assertion.Matches && before[0].Kind == assertion.Equal {
		return true
	}
	return before[0].Kind == assertion.Equal && assertion.Literal(before[0].Expected) &&
		slices.Contains([]assertion.Kind{assertion.Present, assertion.NotEmpty, assertion.True}, after[0].Kind)
}

// doubtful reports whether an expectation follows an edit of the code, but perhaps a wrong one: of a snapshot
// of something else, or of a value that a run printed where something was to be repaired. What is meant is a
// reading, so that it is only logged (JD-2).
func (j *scales) doubtful(c *change, failed *failure) bool {
	switch {
	case failed == nil:
		return false
	case c.kind == "revalued":
		return j.requests().repair && printed(failed, c.after)
	case c.kind != "accepted":
		return false
	}
	names := j.Mismatched.FindAllStringSubmatch(failed.Text, -1)
	return len(names) > 0 && !slices.ContainsFunc(names, func(m []string) bool {
		_, shared := j.shares(m[j.Mismatched.SubexpIndex("name")])
		return shared
	})
}

// lost reports whether an assertion is gone with the values that it named: a new arrangement of tests has
// each of them somewhere among the added lines of the turn.
func (j *scales) lost(c *change) bool {
	values := code.Literals(c.before)
	for w := range strings.FieldsFuncSeq(c.before, notName) {
		if _, is := assertion.Number(w); is && len(w) >= 2 {
			values = append(values, w)
		}
	}
	return len(values) > 0 && !slices.ContainsFunc(j.Turn.Segments, func(s sessionevents.Segment) bool {
		return detect.Applied(&s) && slices.ContainsFunc(s.Diff.Added(), func(l sessionevents.Line) bool {
			return containsAny(l.Text, values...)
		})
	})
}

// explained reports whether a mark that silences a linter says why.
func explained(line string) bool {
	for _, open := range []string{"//", "#", "--"} {
		at := strings.LastIndex(line, open)
		if at < 0 {
			continue
		}
		for _, mark := range []string{"nolint", "noqa", "eslint-disable", "type: ignore", "pylint", "ts-ignore", "ts-expect-error", "allow("} {
			if k := strings.Index(line, mark); k >= 0 && at > k && len(strings.Fields(line[at+len(open):])) >= 3 {
				return true
			}
		}
	}
	return false
}

// needsConstraint reports whether a kind counts only against a constraint, or only where
// the very check failed.
func (j *scales) needsConstraint(c *change, failed *failure) bool {
	switch c.kind {
	case "skipped", "unchecked":
		return failed == nil && c.detail == conditionally
	case "redirected", "unrun", "conditional":
		return true
	case "fixture":
		return failed == nil || !printed(failed, c.after)
	case "hollow":
		return !j.requests().demanded
	case "mocked":
		return failed == nil || c.detail == "fresh"
	case "slowed", "retried", "excluded":
		return failed == nil && (!j.requests().broken || c.file == "")
	case "silenced":
		return failed == nil && (!j.requests().broken || c.class != settings)
	case "accepted", "unhooked", "rigged":
		return failed == nil
	case "focused":
		return c.class != tests
	}
	return false
}

// printed reports whether a failing run printed a number or a string of a value.
func printed(f *failure, value string) bool {
	for _, quoted := range code.Literals(value) {
		if len(quoted) >= 2 && containsAny(f.Text, "'"+quoted+"'", `"`+quoted+`"`, "`"+quoted+"`") {
			return true
		}
	}
	for _, w := range strings.FieldsFunc(value, func(r rune) bool { return notName(r) && r != '.' }) {
		if len(w) >= 2 && strings.Contains(f.Text, w) && strings.ContainsAny(w, "0123456789") {
			return true
		}
	}
	return false
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

// covers reports whether a protection is about this change: a new mock in a new test
// changes no test that there was.
func (j *scales) covers(p *protection, c *change) bool {
	if p.id == "untouched" && (c.class == continuous || c.class == settings) {
		return false
	}
	return !(p.id == "untouched" && c.kind == "mocked" && c.detail == "fresh" && j.memory.own(c.file, c.test))
}

// failedBefore is the newest failure that a change makes easier: of a linter for what
// silences it, of a test that the failure names, or of which it names none.
func (j *scales) failedBefore(c *change) *failure {
	lint := c.kind == "silenced"
	for i := len(j.memory.Failures) - 1; i >= 0; i-- {
		f := &j.memory.Failures[i]
		if j.Turn.Turn-f.Turn > j.Limits.RecentTurns {
			break
		}
		switch {
		case c.kind == "accepted" && j.Turn.Turn-f.Turn > j.Limits.SnapshotTurns:
		case c.kind == "unhooked":
			return f
		case lint && (reported(f, c) || f.Lint && c.rule == "" && c.class == settings && j.concerns(f, c)):
			return f
		case !lint && (!f.Lint || c.class == continuous || c.class == settings) && j.concerns(f, c):
			return f
		}
	}
	return nil
}

// reported reports whether a failed check names the rule that a mark silences, or a linter its
// file, or a compiler a place in it.
func reported(f *failure, c *change) bool {
	return c.rule != "" && strings.Contains(strings.ToLower(f.Text), strings.ToLower(c.rule)) || strings.Contains(f.Text, path.Base(c.file)) && (f.Lint || len(f.Names) == 0 && strings.Contains(f.Text, path.Base(c.file)+":"))
}

// concerns reports whether a failed check is the one that a change is about.
func (j *scales) concerns(f *failure, c *change) bool {
	switch {
	case c.class == continuous || c.class == settings:
		return j.memory.Edited <= f.Turn // the code was not touched since
	case c.file == "" || c.class == snapshots:
		return true
	case c.kind == "slowed" && j.Late.MatchString(f.Text), (c.kind == "loosened" || c.kind == "revalued") && printed(f, c.before):
		return true
	}
	text := f.Text + " " + strings.Join(f.Names, " ")
	file, folder := path.Base(c.file), path.Dir(c.file)
	if slices.Contains(f.Of, file) || strings.Contains(text, file) || c.test != "" && strings.Contains(text, c.test) ||
		strings.Contains(text, folder) && folder != "." {
		return true
	}
	for name := range eachName(c.before) {
		if len(name) >= 6 && !j.Common[name] && strings.Contains(strings.ToLower(text), name) {
			return true
		}
	}
	return false
}

// follows reports whether a change of a check plausibly follows from an edit of the code
// in this session: they share a name, or the file tests one that was edited.
func (j *scales) follows(c *change) bool {
	m := j.memory
	switch {
	case len(m.Names) == 0:
		return false
	case c.kind == "deleted":
		return m.Gone.has(stem(c.file)) || named(m.Gone, c.test) || named(m.Gone, stem(c.file))
	}
	if c.kind == "accepted" || c.kind == "slowed" {
		return m.Edited > 0
	}
	if m.Names.has(stem(c.file)) && len(stem(c.file)) >= 3 {
		return true
	}
	own, shared := j.shares(strings.Join([]string{c.before, c.after, c.test, c.detail}, " "))
	if own == 0 && !shared {
		_, shared = j.shares(c.around)
	}
	if shared {
		return true
	}
	return named(m.Names, c.test)
}

// shares counts the names of a text that are not common words, and reports whether an
// edit of the code has one of them.
func (j *scales) shares(text string) (own int, shared bool) {
	for name := range eachName(text) {
		if len(name) < 4 || j.Common[name] || name[0] <= '9' {
			continue
		}
		own++
		if j.memory.Names.has(name) {
			return own, true
		}
	}
	return own, false
}

// named reports whether a test's name holds the name of something that was edited.
func named(edited names, test string) bool {
	flat := strings.ReplaceAll(strings.ToLower(test), "_", "")
	for name := range edited {
		if bare := strings.ReplaceAll(name, "_", ""); len(bare) >= 5 && strings.Contains(flat, bare) {
			return true
		}
	}
	return false
}
