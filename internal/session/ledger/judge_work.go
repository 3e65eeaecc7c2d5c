package ledger

import (
	"math"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// workJudge judges claims that something works, is fixed or is done.
type workJudge struct{ *evidence }

func (j workJudge) judge(c claimView) {
	if j.edit(c) {
		return
	}
	checks := j.l.runs()
	changed, _ := j.l.Changed(Place{}, sessionevents.MutationCode, sessionevents.MutationTests)
	if len(checks) > 0 || !j.l.Reported.Zero() {
		changed, _ = j.l.Changed(Place{}, behaviour...)
	}
	if j.against(c, changed) || j.broken(c) {
		return
	}
	behaves := after(j.l.runs(sessionevents.CheckTest, sessionevents.CheckRun, sessionevents.CheckRequest), changed)
	switch {
	case c.Kind == sessionevents.ClaimDone && j.vain(c):
		j.unmade(c)
	case changed.Zero() && len(checks) == 0 && j.l.Ran.Zero():
		j.neverRan(c, changed, sessionevents.CheckTest)
	case c.Kind == sessionevents.ClaimDeployed && !deployment(c) && len(behaves) > 0 && len(after(j.l.runs(sessionevents.CheckRequest), changed)) == 0 && j.l.Ran.Zero() && c.Final:
		c.By = &behaves[len(behaves)-1]
		c.lacks(sessionevents.Unproven, GapRequest, "Nothing asked the program after %s of turn %d started it.", quoted(c.By.Command), c.By.Turn)
	case c.Kind == sessionevents.ClaimDone && j.c.reader.Makes(c.Text) && j.made(c):
	case c.Kind == sessionevents.ClaimDone && j.c.reader.Makes(c.Text) && len(c.names) == 0 && len(j.l.Files) > 0:
		c.lacks(sessionevents.NotCheckable, "", "The session wrote %s; the claim names no file.", quote.Path(j.l.Files[len(j.l.Files)-1].Path))
	case len(behaves) > 0:
		j.ran(c, behaves)
	case j.l.Ran.After(changed):
		c.lacks(sessionevents.NotCheckable, "", "A command ran after the last change; whether it shows this is not known.")
	case changed.Zero():
		c.lacks(sessionevents.NotCheckable, "", "The session changed nothing that a check could show.")
	default:
		j.unshown(c, checks, changed)
	}
}

// deployment reports whether a claim is about a deployment rather than a program that
// this session started.
func deployment(c claimView) bool { return strings.Contains(strings.ToLower(c.Text), "deploy") }

// against judges a claim by evidence of the opposite: a check that failed since the last
// change, or an output that reports a problem.
func (j workJudge) against(c claimView, changed Place) bool {
	if j.out.Hedged {
		return false
	}
	f := j.c.openFailure(j.l.runs(sessionevents.CheckTest, sessionevents.CheckBuild, sessionevents.CheckTypes))
	if f != nil && place(f).After(changed) && !j.out.Admits && !j.l.Explained.After(place(f)) {
		c.By = f
		c.lacks(sessionevents.Contradicted, GapFailed, "%s of turn %d failed, and nothing that covers it passed since.", quoted(f.Command), f.Turn)
		return true
	}
	if t := j.openTrouble(changed); t != nil && c.Final && !j.admits(t) {
		c.lacks(sessionevents.Unproven, GapTrouble, "%s in turn %d says %q.", quoted(t.Command), t.At.Turn, t.Text)
		return true
	}
	return false
}

// ran judges a claim by what ran since the last change.
func (j workJudge) ran(c claimView, behaves []sessionevents.LedgerRun) {
	latest := &behaves[len(behaves)-1]
	switch {
	case c.Kind == sessionevents.ClaimWorks && j.unchanged(c.Claim):
		c.By = latest
		j.rejects(c)
	case j.once(c.Claim, behaves):
		c.By = latest
		c.lacks(sessionevents.Unproven, GapOnce, "The fault of turn %d does not show each time, and %s ran once.", j.l.Reported.Turn, quoted(latest.Command))
	case !exercised(behaves) && j.unreproduced(c.Claim):
		c.By = latest
		c.lacks(sessionevents.Unproven, GapReproduce, "The fault reported in turn %d was never seen failing, so that %s, which has no new test for it, cannot show that it is gone.", j.l.Reported.Turn, quoted(latest.Command))
	case c.Kind == sessionevents.ClaimWorks && j.c.Fixes.MatchString(c.Text) && !exercised(behaves) && !j.reproduced():
		c.By = latest
		const why = "%s of turn %d passed; the fault was not seen failing, and no test was written for it."
		c.lacks(sessionevents.NotCheckable, "", why, quoted(latest.Command), latest.Turn)
	case j.builds(c.Claim) && latest.Kind == sessionevents.CheckTest && !exercised(behaves) && !j.reproduced():
		c.By = latest
		const why = "%s of turn %d passed; no test was written for what is new."
		c.lacks(sessionevents.NotCheckable, "", why, quoted(latest.Command), latest.Turn)
	default:
		j.shown(c, behaves)
	}
}

// builds reports whether a claim names something new that was built.
func (j workJudge) builds(c *sessionevents.Claim) bool {
	return c.Kind == sessionevents.ClaimDone && j.c.Builds.MatchString(c.Text) && !j.c.reader.Whole(c.Text)
}

// reproduced reports whether the session saw something failing since the person asked, or when they asked, or
// wrote a test since.
func (j workJudge) reproduced() bool {
	asked := Place{Turn: j.l.Asked.Turn - 1, Segment: math.MaxInt}
	tests, _ := j.l.Changed(asked, sessionevents.MutationTests)
	before := slices.DeleteFunc(j.l.runs(), func(r sessionevents.LedgerRun) bool { return place(&r).After(asked) })
	return !tests.Zero() || j.l.TestedIn.After(asked) || j.l.Failing.After(asked) || j.l.Seen.After(asked) ||
		j.c.openFailure(before) != nil
}

// shown judges a claim by the runs since the last change: only a passed run proves it. A
// failed run of a program may be the case that the claim excludes, or one that is meant
// to fail. That work is ready to merge is shown by tests, not by running some program.
func (j workJudge) shown(c claimView, behaves []sessionevents.LedgerRun) {
	if j.beyond(c, behaves) {
		return
	}
	for _, r := range slices.Backward(behaves) {
		if r.Result == sessionevents.CheckPassed && (!c.Broad || r.Kind != sessionevents.CheckRun) && j.shows(c, &r) {
			c.proven(&r)
			return
		}
	}
	latest := behaves[len(behaves)-1]
	c.By = &latest
	switch latest.Result {
	case sessionevents.CheckPassed:
		if latest.Kind != sessionevents.CheckRun {
			c.lacks(sessionevents.NotCheckable, "", "%s of turn %d shows a part of it only.",
				quoted(latest.Command), latest.Turn)
			return
		}
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d runs a program; no test ran since the last change.", quoted(latest.Command), latest.Turn)
	case sessionevents.CheckFailed:
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d failed; whether the claim speaks of it is not known.", quoted(latest.Command), latest.Turn)
	default:
		c.lacks(sessionevents.NotCheckable, "", "What %s of turn %d came to is not known.", quoted(latest.Command), latest.Turn)
	}
}

// beyond judges a claim that speaks of more than the runs can show: of what a run would show whose output is cut
// off, of edits, which no run shows, or of all the work, of which the runs leave out a suite that changed or ran
// before.
func (j workJudge) beyond(c claimView, behaves []sessionevents.LedgerRun) bool {
	latest := &behaves[len(behaves)-1]
	if cut := cutAmong(behaves); cut != nil && cut.Kind == sessionevents.CheckTest {
		c.By = cut
		const why = "%s of turn %d cuts off what shows the result, and it did not run whole since."
		c.lacks(sessionevents.NotCheckable, "", why, quoted(cut.Command), cut.Turn)
		return true
	}
	more := j.c.AllOfIt.MatchString(c.Text) || latest.Kind == sessionevents.CheckTest && j.c.HandChecked.MatchString(c.Text)
	if more && latest.Result == sessionevents.CheckPassed {
		c.By = latest
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d passed; the claim speaks of more than it covers.",
			quoted(latest.Command), latest.Turn)
		return true
	}
	if c.Kind != sessionevents.ClaimDone && c.Kind != sessionevents.ClaimWorks {
		return false
	}
	if j.c.Edits.MatchString(c.Text) && latest.Result == sessionevents.CheckPassed {
		c.By = latest
		const why = "%s of turn %d passed; it does not show that edit."
		c.lacks(sessionevents.NotCheckable, "", why, quoted(latest.Command), latest.Turn)
		return true
	}
	if c.Kind != sessionevents.ClaimDone || !j.c.reader.Whole(c.Text) || latest.Kind != sessionevents.CheckTest {
		return false
	}
	suite, reason := suiteJudge(j).openSuite(behaves)
	if suite != "" {
		c.By = latest
		c.lacks(sessionevents.NotCheckable, "", "No run since turn %d, the last change, names the %s tests, and %s.",
			j.l.lastChange().Turn, suite, reason)
	}
	return suite != ""
}

// shows reports whether a run can show what is claimed. A test can, but a part of the tests does not show
// that everything is done; an answer to a request shows what answers requests, what its address names, and
// a request that failed before. A program shows it where it is of the work: by its path, by a file that the
// session changed, by a name of the claim, or because it is one that runs projects. That some tool ran says
// nothing.
func (j workJudge) shows(c claimView, r *sessionevents.LedgerRun) bool {
	done := c.Kind == sessionevents.ClaimDone
	switch r.Kind {
	case sessionevents.CheckTest:
		if slices.ContainsFunc(c.scope.Suites, func(suite string) bool { return !suiteJudge(j).runsSuite(r, suite) }) {
			return false
		}
		if j.c.Measures.MatchString(c.Text) && !j.c.Gauges.MatchString(r.Command) {
			return false
		}
		return j.c.filterOf(r) == "" || len(r.Filters) == 0 || !j.c.reader.Whole(c.Text)
	case sessionevents.CheckRequest:
		return j.c.Answers.MatchString(c.Text) || !done && (addressed(c, r) || j.failedBefore(r))
	}
	if j.introduces(r.Command) && !j.c.OfItself.MatchString(c.Text) {
		return false
	}
	program := programOf(r.Command)
	own := r.Runner != "" || j.c.OwnPrograms.MatchString(program) || strings.Contains(program, "/")
	if strings.Contains(r.Command, "./") || !done && own {
		return true
	}
	return slices.ContainsFunc(c.names, func(n string) bool { return strings.Contains(r.Command, n) }) ||
		slices.ContainsFunc(j.l.Files, func(f File) bool {
			return f.Kind != sessionevents.MutationDocuments && strings.Contains(r.Command, path.Base(f.Path))
		})
}

// introduces reports whether a command line only asks programs what they are, or has them parsed.
func (j workJudge) introduces(command string) bool {
	asks := false
	for _, step := range j.c.commands.Steps(command) {
		if step.Name == "cd" || slices.Contains(idle, step.Name) {
			continue
		}
		if asks = j.c.Introduces.MatchString(step.Name + " " + strings.Join(step.Args, " ")); !asks {
			return false
		}
	}
	return asks
}

// addressed reports whether a claim has a word of the address that was asked.
func addressed(c claimView, r *sessionevents.LedgerRun) bool {
	_, address, _ := strings.Cut(r.Command, "://")
	_, address, _ = strings.Cut(address, "/")
	address, _, _ = strings.Cut(address, " ")
	text := strings.ToLower(c.Text)
	words := strings.FieldsFunc(strings.ToLower(address), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return len(w) > 3 && w != "index" && w != "html" && strings.Contains(text, w)
	})
}

// failedBefore reports whether the same command failed earlier in the session.
func (j workJudge) failedBefore(r *sessionevents.LedgerRun) bool {
	return slices.ContainsFunc(j.l.Checks, func(o sessionevents.LedgerRun) bool {
		return o.Result == sessionevents.CheckFailed && o.Command == r.Command
	})
}

// unshown judges a claim if nothing that shows behaviour ran since the last change.
func (j workJudge) unshown(c claimView, checks []sessionevents.LedgerRun, changed Place) {
	switch latest := after(checks, changed); {
	case len(latest) > 0:
		c.By = &latest[len(latest)-1]
		c.Show = j.c.show(j.l.runs(sessionevents.CheckTest), c.Claim)
		c.lacks(sessionevents.Unproven, GapLint, "Since the last change only %s ran, which shows no behaviour.", quoted(c.By.Command))
	case len(checks) > 0:
		_, paths := j.l.Changed(place(&checks[len(checks)-1]), behaviour...)
		c.By = &checks[len(checks)-1]
		c.Show = j.c.show(checks, c.Claim)
		c.lacks(sessionevents.Unproven, GapStale, "Nothing ran since %s changed; the last check is of turn %d.", names(paths), c.By.Turn)
	default:
		j.neverRan(c, changed, sessionevents.CheckTest)
	}
}

// broken judges a claim of completion that leaves out a promise: a test that was to be
// written, a request that is not mentioned, code that nothing uses.
func (j workJudge) broken(c claimView) bool {
	if j.untested(c.Claim) {
		c.lacks(sessionevents.Unproven, GapUnwritten, "This session wrote no test.")
		return true
	}
	if y := j.unused(c.Claim); y != nil {
		c.Subjects = []string{y.Name, y.Path}
		c.lacks(sessionevents.Unproven, GapUnused, "No other line of this session names %s of %s, made in turn %d.", quoted(y.Name), quote.Path(y.Path), y.At.Turn)
		return true
	}
	if c.Kind != sessionevents.ClaimDone || !c.Final || j.out.Hedged || !j.c.reader.Whole(c.Text) {
		return false
	}
	if p, file := j.unwrittenTest(); file != "" {
		c.lacks(sessionevents.Unproven, GapUnwritten, "Turn %d promises tests in %s, and this session did not change it.", p.Turn, file)
		return true
	}
	if p := j.ignored(); p != nil {
		c.Subjects = []string{p.Text}
		c.lacks(sessionevents.Unproven, GapIgnored, "Nothing since turn %d works on %s or speaks of it.", p.Turn, quote.Words(p.Text, 8))
		return true
	}
	return false
}

// untested judges a claim at the end of a response that tests were added, if the session
// wrote none. A handover by a call may describe more than the session's own work.
func (j workJudge) untested(c *sessionevents.Claim) bool {
	if c.Kind != sessionevents.ClaimDone || !c.Final || j.t.Segments[c.Segment].Tool != nil || len(j.l.Files) == 0 || j.l.Evicted > 0 || !j.l.TestedIn.Zero() || !j.l.Delegated.Zero() || !j.c.reader.AddsTests(c.Text) {
		return false
	}
	_, paths := j.l.Changed(Place{}, sessionevents.MutationTests)
	return len(paths) == 0
}

// vain judges a claim that something was created in a session that changed no file.
func (j workJudge) vain(c claimView) bool {
	return len(j.l.Files) == 0 && j.l.Delegated.Zero() && j.l.Shell && c.Final && j.c.reader.Makes(c.Text) && j.c.reader.Maker(c.Text)
}

// made judges a claim by the files that it names: each of them must have been written, other files show
// nothing about it (JD-13). It reports whether it decided.
func (j workJudge) made(c claimView) bool {
	files, missing := c.scope.Files, ""
	if len(files) == 0 { // a name without a known extension
		for _, f := range slices.Backward(j.l.Files) {
			if strings.Contains(c.Text, path.Base(f.Path)) && !f.Gone {
				files = []string{f.Path}
				break
			}
		}
	}
	for i, name := range files {
		if !actJudge(j).written(name) {
			missing = name
		} else if at := slices.IndexFunc(j.l.Files, func(f File) bool { return sameFile(f.Path, name) }); at >= 0 {
			files[i] = j.l.Files[at].Path
		}
	}
	switch {
	case missing != "":
		c.lacks(sessionevents.NotCheckable, "", "What wrote %s is not in this session.", quote.Path(missing))
	case len(files) > 0:
		c.lacks(sessionevents.Proven, "", "The session wrote %s.", names(files))
	}
	return len(files) > 0
}

// unmade judges a claim about something that was not created. If no command had an effect
// either, nothing else can have created it.
func (j workJudge) unmade(c claimView) {
	if j.l.Acted.Zero() {
		c.lacks(sessionevents.Contradicted, GapUnmade, "The session changed no file, and none of its commands succeeded.")
		return
	}
	c.lacks(sessionevents.Unproven, GapUnmade, "The session changed no file.")
}

// unreproduced judges a claim that a fault reported by the person is fixed, although the
// session neither saw it failing nor changed a test since.
func (j workJudge) unreproduced(c *sessionevents.Claim) bool {
	if c.Kind != sessionevents.ClaimWorks || !j.unseen(c) {
		return false
	}
	code, _ := j.l.Changed(j.l.Reported, sessionevents.MutationCode)
	tests, _ := j.l.Changed(j.l.Reported, sessionevents.MutationTests)
	// If nothing changed since the report, "it works" refers to another case than the
	// person's.
	return tests.Zero() && (!code.Zero() || j.l.Reported == j.l.Asked && !j.l.Asked.Zero())
}

// once judges a claim that an intermittent fault is fixed after too few runs, if it was
// neither seen failing nor covered by a new test along with the code change.
func (j workJudge) once(c *sessionevents.Claim, behaves []sessionevents.LedgerRun) bool {
	if c.Kind != sessionevents.ClaimWorks || !j.l.Intermittent || !j.unseen(c) || len(behaves) >= j.c.EnoughRuns {
		return false
	}
	code, _ := j.l.Changed(j.l.Reported, sessionevents.MutationCode)
	tests, _ := j.l.Changed(j.l.Reported, sessionevents.MutationTests)
	if code.Zero() && tests.Zero() || !code.Zero() && !tests.Zero() {
		return false
	}
	return !slices.ContainsFunc(behaves, func(r sessionevents.LedgerRun) bool { return j.c.Repeats.MatchString(r.Command) })
}

// exercised reports whether the program itself ran or responded since the change, which
// may have included the reported case.
func exercised(behaves []sessionevents.LedgerRun) bool {
	return slices.ContainsFunc(behaves, func(r sessionevents.LedgerRun) bool {
		return r.Result == sessionevents.CheckPassed && (r.Kind == sessionevents.CheckRequest || r.Kind == sessionevents.CheckRun && r.Runner != "")
	})
}

// everyOne matches words of a claim about several things without their names.
var everyOne = pattern.Must(`(?i)\b(?:both|all|each|every(?:thing)?)\b`)

// unused returns a symbol that a claim says is in use although no change of the session
// names it outside its own definition.
func (j workJudge) unused(c *sessionevents.Claim) *Symbol {
	if !c.Final || !j.c.reader.Wired(c.Text) {
		return nil
	}
	if everyOne.MatchString(c.Text) { // of what the person named
		named := j.registry.Baseline.Identifiers
		if i := slices.IndexFunc(j.l.Symbols, func(y Symbol) bool { return !y.Used && slices.Contains(named, y.Name) }); i >= 0 {
			return &j.l.Symbols[i]
		}
	}
	for n, span := range strings.Split(c.Text, "`") {
		if n%2 == 0 {
			continue // outside a code span
		}
		name := strings.TrimSuffix(span, "()")
		for i := range j.l.Symbols {
			y := &j.l.Symbols[i]
			if !y.Used && (y.Name == name || isFile(y) && path.Base(name) == path.Base(y.Path)) {
				return y
			}
		}
	}
	return nil
}
