package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// suiteJudge separates ordinary tests from suites, which ordinary runs leave out.
type suiteJudge struct{ *evidence }

// receipt proves a claim by the run that shows most of it: of the suites that it names, else of everything. Where
// it speaks of all tests and a suite ran by itself, both runs are its receipt.
func (j suiteJudge) receipt(c claimView, passed []sessionevents.LedgerRun) {
	whole, ordinary, suite := -1, -1, -1
	for i := range passed {
		r := &passed[i]
		confined, narrow := j.confined(r), j.c.narrow(r)
		switch {
		case confined && !narrow:
			suite = i
		case !narrow:
			ordinary = i
		}
		all := !slices.ContainsFunc(c.scope.Suites, func(suite string) bool { return !j.runsSuite(r, suite) })
		if all && (!narrow || len(c.scope.Suites) > 0) {
			whole = i
		}
	}
	if whole < 0 || !c.Broad {
		whole = len(passed) - 1
	}
	c.proven(&passed[whole])
	if ordinary < 0 || !c.Broad || len(c.scope.Suites) > 0 && !c.scope.Unit {
		return
	}
	text := strings.ToLower(c.Text)
	other := !c.scope.Unit || slices.ContainsFunc(j.c.Suites, func(s string) bool { return strings.Contains(text, s) })
	if suite < ordinary || !other {
		c.proven(&passed[ordinary])
		return
	}
	c.proven(&passed[suite])
	unit, by := &passed[ordinary], &passed[suite]
	c.Why = fmt.Sprintf("%s of turn %d and %s of turn %d passed, after the last change.",
		quoted(unit.Command), unit.Turn, quoted(by.Command), by.Turn)
}

// onlySuites judges a claim about the unit tests, or about all tests where ordinary ones are known, by runs that
// are each of one suite besides them.
func (j suiteJudge) onlySuites(c claimView, passed []sessionevents.LedgerRun) bool {
	ordinary := func(r sessionevents.LedgerRun) bool { return !j.confined(&r) }
	if slices.ContainsFunc(passed, ordinary) {
		return false
	}
	all := c.Broad && len(c.scope.Suites) == 0 &&
		(c.scope.Entire || slices.ContainsFunc(j.l.runs(sessionevents.CheckTest), ordinary))
	if !c.scope.Unit && !all {
		return false
	}
	latest := &passed[len(passed)-1]
	c.By = latest
	const why = "%s of turn %d passed; it does not run the ordinary tests, and nothing did since the last change."
	c.lacks(sessionevents.NotCheckable, "", why, quoted(latest.Command), latest.Turn)
	return true
}

// omits judges a claim about all tests by runs that leave out, by the custom of their runner, a test that the
// session changed: "cargo test --lib" runs nothing of tests/.
func (j suiteJudge) omits(c claimView, passed []sessionevents.LedgerRun) bool {
	latest := &passed[len(passed)-1]
	for _, f := range j.l.Files {
		if !c.Broad || f.Gone || f.Kind != sessionevents.MutationTests {
			continue
		}
		omitted := func(r sessionevents.LedgerRun) bool {
			for _, o := range j.c.Omits {
				if o.Files.MatchString(f.Path) && o.Command.MatchString(r.Command) && !o.Unless.MatchString(r.Command) {
					return true
				}
			}
			return false
		}
		if slices.ContainsFunc(passed, func(r sessionevents.LedgerRun) bool { return !omitted(r) }) {
			continue
		}
		c.By = latest
		const why = "%s of turn %d leaves out %s, which this session changed."
		c.lacks(sessionevents.Unproven, GapNarrow, why, quoted(latest.Command), latest.Turn, quote.Path(f.Path))
		return true
	}
	return false
}

// confined reports whether a run is of one suite alone: each of its programs has the suite in its name or in what
// it is to run. A flag that adds a suite leaves the others in.
func (j suiteJudge) confined(r *sessionevents.LedgerRun) bool {
	found := false
	for _, step := range j.c.commands.Steps(r.Command) {
		if step.Name == "cd" || slices.Contains(idle, step.Name) {
			continue
		}
		words := strings.ToLower(step.Name)
		for _, arg := range step.Args {
			if !strings.HasPrefix(arg, "-") {
				words += " " + strings.ToLower(arg)
			}
		}
		if !slices.ContainsFunc(j.c.Suites, func(suite string) bool { return strings.Contains(words, suite) }) {
			return false
		}
		found = true
	}
	return found
}

// suiteLeftOut returns a suite that ordinary runs leave out and that the runs do not
// name, although the session changed it or ran it before, or the claim mentions it; the
// reason says which.
func (j suiteJudge) suiteLeftOut(c claimView, passed []sessionevents.LedgerRun) (suite, reason string) {
	for _, suite := range j.c.Suites {
		named := slices.Contains(c.scope.Suites, suite)
		if c.scope.Unit && !named {
			continue // it mentions another suite
		}
		names := func(r sessionevents.LedgerRun) bool { return j.runsSuite(&r, suite) }
		if slices.ContainsFunc(passed, names) {
			continue
		}
		if file := j.changedIn(suite); file != "" && c.Broad {
			return suite, quote.Path(file) + " belongs to them"
		}
		if named {
			return suite, "the claim speaks of them"
		}
		if c.Broad && c.Final && slices.ContainsFunc(j.l.runs(sessionevents.CheckTest), names) {
			return suite, "they ran before"
		}
	}
	return "", ""
}

// changedIn returns a test of a suite that the session changed; "" for none.
func (j suiteJudge) changedIn(suite string) string {
	for _, f := range j.l.Files {
		if f.Kind == sessionevents.MutationTests && strings.Contains(strings.ToLower(f.Path), suite) {
			return f.Path
		}
	}
	return ""
}

// openSuite returns a suite that no run names, although the session changed a test of it or ran it before.
func (j suiteJudge) openSuite(runs []sessionevents.LedgerRun) (suite, reason string) {
	for _, suite := range j.c.Suites {
		names := func(r sessionevents.LedgerRun) bool { return j.runsSuite(&r, suite) }
		if slices.ContainsFunc(runs, names) {
			continue
		}
		if file := j.changedIn(suite); file != "" {
			return suite, quote.Path(file) + " belongs to them"
		}
		if slices.ContainsFunc(j.l.runs(sessionevents.CheckTest), names) {
			return suite, "they ran before"
		}
	}
	return "", ""
}

// runsSuite reports whether a run names a suite, or runs everything.
func (j suiteJudge) runsSuite(r *sessionevents.LedgerRun, suite string) bool {
	if slices.Contains(j.l.Suites, SuiteRun{Suite: suite, At: place(r)}) {
		return true
	}
	text := j.c.Excludes.ReplaceAllString(strings.ToLower(r.Command+" "+strings.Join(r.Filters, " ")), "")
	return strings.Contains(text, suite) || strings.Contains(text, ":ci") || strings.Contains(text, ":all") ||
		slices.ContainsFunc(j.c.SuiteRunners[suite], func(w string) bool { return strings.Contains(text, w) })
}
