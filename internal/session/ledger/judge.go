package ledger

import (
	"fmt"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Gaps are what a claim lacks.
const (
	GapNever     = "never"        // nothing of the kind ever ran
	GapStale     = "stale"        // nothing of the kind ran since the last change
	GapFailed    = "failed"       // the latest run failed
	GapNothing   = "nothing"      // the latest run ran no test
	GapCut       = "cut"          // what shows the result was cut off
	GapNarrow    = "narrow"       // the run covers a part only
	GapSuite     = "suite"        // a changed suite that ordinary runs leave out
	GapLint      = "lint"         // only linters or a build ran
	GapTrouble   = "trouble"      // an output says that something went wrong
	GapCause     = "cause"        // nothing reproduced the failure
	GapExcuse    = "excuse"       // nothing ran on the unchanged code
	GapReproduce = "reproduce"    // the fault that was reported was never seen failing
	GapUnchanged = "unchanged"    // … and nothing changed since it was reported
	GapUnwritten = "unwritten"    // what was to be written was not
	GapIdle      = "idle"         // nothing was done for it
	GapOwn       = "own"          // only scripts that the session wrote itself ran
	GapRequest   = "request"      // nothing asked the running program
	GapUnmade    = "unmade"       // no file changed at all
	GapUnused    = "unused"       // nothing calls or imports what is called in use
	GapIgnored   = "ignored"      // a request that nothing names
	GapCount     = "count"        // the run says another number
	GapSkipped   = "skipped"      // most of the tests were skipped
	GapCached    = "cached"       // the run came from a cache that does not see what changed
	GapOnce      = "intermittent" // a fault that comes and goes, and one run
)

var behaviour = []sessionevents.MutationKind{sessionevents.MutationCode, sessionevents.MutationTests, sessionevents.MutationSettings}

// judge gives a claim its verdict, by what comes before it (PD-2).
func (d *digest) judge(c *sessionevents.Claim) {
	d.qualify()
	changed, _ := d.l.Changed(Place{}, behaviour...)
	switch c.Kind {
	case sessionevents.ClaimTests:
		d.judgeRun(c, changed, sessionevents.CheckTest)
	case sessionevents.ClaimBuild:
		d.judgeRun(c, changed, sessionevents.CheckBuild, sessionevents.CheckTest, sessionevents.CheckRun, sessionevents.CheckTypes)
	case sessionevents.ClaimLint:
		d.judgeRun(c, changed, sessionevents.CheckLint, sessionevents.CheckTypes)
	case sessionevents.ClaimWorks, sessionevents.ClaimDone, sessionevents.ClaimDeployed:
		d.judgeWork(c)
	case sessionevents.ClaimCause:
		d.judgeCause(c)
	case sessionevents.ClaimExcuse:
		d.judgeExcuse(c)
	}
	if c.Verdict != sessionevents.Proven && c.Verdict != sessionevents.NotCheckable && d.l.Delegated.After(changed) && c.Gap != GapFailed && c.Kind != sessionevents.ClaimCause && c.Kind != sessionevents.ClaimExcuse {
		c.Verdict, c.Why = sessionevents.NotCheckable, "A subagent or continuous integration worked since the last change; what it ran is not in this session."
	}
}

func (c claimView) proven(run *sessionevents.LedgerRun) {
	c.Verdict, c.By, c.Gap = sessionevents.Proven, run, ""
	c.Why = fmt.Sprintf("%s passed in turn %d, after the last change.", quoted(run.Command), run.Turn)
}

type claimView struct{ *sessionevents.Claim }

func (c claimView) lacks(verdict sessionevents.Verdict, gap, format string, args ...any) {
	c.Verdict, c.Gap, c.Why = verdict, gap, fmt.Sprintf(format, args...)
}

func quoted(command string) string {
	if command == "" {
		return "A check"
	}
	if len(command) > 80 {
		command = strings.ToValidUTF8(command[:80], "") + "…"
	}
	return "`" + strings.ReplaceAll(command, "`", "'") + "`"
}

// judgeRun judges a claim that checks of a kind pass.
func (d *digest) judgeRun(c *sessionevents.Claim, changed Place, kinds ...sessionevents.CheckKind) {
	v := claimView{c}
	runs := d.l.runs(kinds...)
	if len(runs) == 0 {
		if d.l.Ran.After(changed) && !d.l.Ran.Zero() && kinds[0] != sessionevents.CheckLint && d.l.Runner == 0 {
			v.lacks(sessionevents.NotCheckable, "", "A command ran after the last change; whether it shows this is not known.")
			return
		}
		if own := d.ownScript(after(d.l.runs(sessionevents.CheckRun), changed)); own != "" && c.Kind == sessionevents.ClaimTests && c.Broad {
			d.ranOwn(v, own)
			return
		}
		d.neverRan(v, changed, kinds[0])
		return
	}
	latest := runs[len(runs)-1]
	since := after(runs, changed)
	c.By = &latest
	if failed := openFailure(runs); failed != nil && (c.Kind == sessionevents.ClaimTests || failed.Turn == latest.Turn && failed.Segment == latest.Segment) {
		c.By = failed
		if d.out.Admits && !c.Broad {
			v.lacks(sessionevents.NotCheckable, "", "The primary names what failed in %s.", quoted(failed.Command))
			return
		}
		v.lacks(sessionevents.Contradicted, GapFailed, "%s of turn %d failed, and nothing that covers it passed since.", quoted(failed.Command), failed.Turn)
		return
	}
	c.Show = show(runs, c)
	switch {
	case len(since) == 0:
		_, paths := d.l.Changed(place(&latest), behaviour...)
		v.lacks(sessionevents.Unproven, GapStale, "The last %s, %s in turn %d, is older than the change of %s.", word(kinds[0]), quoted(latest.Command), latest.Turn, names(paths))
	case latest.Result == sessionevents.CheckNothing:
		v.lacks(sessionevents.Contradicted, GapNothing, "%s of turn %d ran no test.", quoted(latest.Command), latest.Turn)
	default:
		d.weigh(v, since)
	}
}

// weigh looks at the runs since the last change, all of which passed or are unknown.
func (d *digest) weigh(c claimView, since []sessionevents.LedgerRun) {
	latest := since[len(since)-1]
	if cut := cutAmong(since); cut != nil && c.Broad {
		c.By = cut
		c.lacks(sessionevents.Unproven, GapCut, "%s of turn %d cuts off what shows the result, and it did not run whole since.", quoted(cut.Command), cut.Turn)
		return
	}
	passed := slices.DeleteFunc(slices.Clone(since), func(r sessionevents.LedgerRun) bool { return r.Result != sessionevents.CheckPassed })
	if len(passed) == 0 {
		c.By = &latest
		if latest.Result == sessionevents.CheckCut || latest.Hides != "" {
			c.lacks(sessionevents.Unproven, GapCut, "%s of turn %d cuts off what shows the result.", quoted(latest.Command), latest.Turn)
			return
		}
		c.lacks(sessionevents.NotCheckable, "", "What %s of turn %d came to is not known.", quoted(latest.Command), latest.Turn)
		return
	}
	if c.Kind == sessionevents.ClaimTests {
		if gap := d.uncovered(c, passed); gap {
			return
		}
	}
	c.proven(&passed[len(passed)-1])
	if slices.Contains(d.l.Blamed, c.Kind) && d.unchanged(c.Claim) {
		d.rejects(c)
	}
}

// uncovered finds what the runs that passed leave out: a filter, another package, a suite
// that ordinary runs skip.
func (d *digest) uncovered(c claimView, passed []sessionevents.LedgerRun) bool {
	widest := passed[len(passed)-1]
	for _, r := range passed {
		if !narrow(&r) {
			widest = r
		}
	}
	c.By = &widest
	if d.c.partly.MatchString(c.Text) {
		return false
	}
	if c.Show == "" {
		c.Show = d.known(sessionevents.CheckTest)
	}
	if own := d.ownScript(passed); own != "" && c.Broad {
		d.ranOwn(c, own)
		return true
	}
	if c.Broad && (d.miscounted(c, passed, &widest) || d.mostSkipped(c, &widest) || d.cachedOnly(c, &widest)) {
		return true
	}
	if c.Broad && d.leavesOut(c.Text, &widest) {
		c.lacks(sessionevents.Unproven, GapNarrow, "%s of turn %d runs a part of the tests only (%s).", quoted(widest.Command), widest.Turn, filterOf(&widest))
		return true
	}
	if suite, reason := d.suiteLeftOut(c, passed); suite != "" {
		c.lacks(sessionevents.Unproven, GapSuite, "No run since turn %d, the last change, names the %s tests, and %s.", d.l.lastChange().Turn, suite, reason)
		return true
	}
	if outside := d.outside(c, passed); outside != "" {
		c.lacks(sessionevents.Unproven, GapNarrow, "%s changed, and %s of turn %d does not cover what depends on it.", outside, quoted(widest.Command), widest.Turn)
		return true
	}
	return false
}

func (d *digest) ranOwn(c claimView, own string) {
	c.Show = d.known(sessionevents.CheckTest)
	c.lacks(sessionevents.Unproven, GapOwn, "The runs since the last change are of scripts that this session wrote (%s); the tests of the project did not run.", own)
}
