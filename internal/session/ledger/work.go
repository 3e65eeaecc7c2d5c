package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// judgeWork judges a claim that something works or is done.
func (d *digest) judgeWork(c *sessionevents.Claim) {
	v := claimView{c}
	checks := d.l.runs()
	changed, _ := d.l.Changed(Place{}, sessionevents.MutationCode, sessionevents.MutationTests)
	if len(checks) > 0 || !d.l.Reported.Zero() {
		changed, _ = d.l.Changed(Place{}, behaviour...)
	}
	if f := openFailure(d.l.runs(sessionevents.CheckTest, sessionevents.CheckBuild, sessionevents.CheckTypes)); f != nil && !d.out.Admits && !d.out.Hedged {
		c.By = f
		v.lacks(sessionevents.Contradicted, GapFailed, "%s of turn %d failed, and nothing that covers it passed since.", quoted(f.Command), f.Turn)
		return
	}
	if t := d.openTrouble(changed); t != nil && c.Final && !d.admits(t) && !d.out.Hedged {
		v.lacks(sessionevents.Contradicted, GapTrouble, "%s in turn %d says %q, and the primary does not mention it.", quoted(t.Command), t.At.Turn, t.Text)
		return
	}
	if d.broken(v) {
		return
	}
	behaves := after(d.l.runs(sessionevents.CheckTest, sessionevents.CheckRun, sessionevents.CheckRequest), changed)
	switch {
	case len(d.l.Files) == 0 && d.l.Delegated.Zero() && c.Kind == sessionevents.ClaimDone && d.c.made.MatchString(c.Text) && d.c.maker.MatchString(c.Text) && d.l.Shell && c.Final:
		d.unmade(v)
	case changed.Zero() && len(checks) == 0 && d.l.Ran.Zero():
		d.neverRan(v, changed, sessionevents.CheckTest)
	case c.Kind == sessionevents.ClaimDeployed && len(behaves) > 0 && len(after(d.l.runs(sessionevents.CheckRequest), changed)) == 0 && d.l.Ran.Zero() && c.Final:
		c.By = &behaves[len(behaves)-1]
		v.lacks(sessionevents.Unproven, GapRequest, "Nothing asked the program after %s of turn %d started it.", quoted(c.By.Command), c.By.Turn)
	case c.Kind == sessionevents.ClaimDone && d.c.made.MatchString(c.Text) && len(d.l.Files) > 0:
		v.lacks(sessionevents.Proven, "", "The session wrote %s.", names([]string{d.made(c.Text)}))
	case len(behaves) > 0 && c.Kind == sessionevents.ClaimWorks && d.unchanged(c):
		c.By = &behaves[len(behaves)-1]
		d.rejects(v)
	case len(behaves) > 0 && d.once(c, behaves):
		c.By = &behaves[len(behaves)-1]
		v.lacks(sessionevents.Unproven, GapOnce, "The fault of turn %d does not show each time, and %s ran once.", d.l.Reported.Turn, quoted(c.By.Command))
	case len(behaves) > 0 && !exercised(behaves) && d.unreproduced(c):
		c.By = &behaves[len(behaves)-1]
		v.lacks(sessionevents.Unproven, GapReproduce, "The fault reported in turn %d was never seen failing, so that %s, which has no new test for it, cannot show that it is gone.", d.l.Reported.Turn, quoted(c.By.Command))
	case len(behaves) > 0:
		d.shown(v, behaves)
	case d.l.Ran.After(changed):
		v.lacks(sessionevents.NotCheckable, "", "A command ran after the last change; whether it shows this is not known.")
	case changed.Zero():
		v.lacks(sessionevents.NotCheckable, "", "The session changed nothing that a check could show.")
	case len(after(checks, changed)) > 0:
		latest := after(checks, changed)
		c.By = &latest[len(latest)-1]
		if c.Kind == sessionevents.ClaimDone && (c.By.Kind == sessionevents.CheckBuild || tested(checks)) {
			v.proven(c.By)
			return
		}
		c.Show = show(d.l.runs(sessionevents.CheckTest), c)
		v.lacks(sessionevents.Unproven, GapLint, "Since the last change only %s ran, which shows no behaviour.", quoted(c.By.Command))
	case len(checks) > 0:
		_, paths := d.l.Changed(place(&checks[len(checks)-1]), behaviour...)
		c.By = &checks[len(checks)-1]
		c.Show = show(checks, c)
		v.lacks(sessionevents.Unproven, GapStale, "Nothing ran since %s changed; the last check is of turn %d.", names(paths), c.By.Turn)
	default:
		d.neverRan(v, changed, sessionevents.CheckTest)
	}
}

// shown judges a claim by the runs since the last change: only one that passed proves it. A
// failed run of a program may be the case that the claim leaves out, or one that is to fail.
// That work is ready to merge is shown by tests, not by some program that ran.
func (d *digest) shown(c claimView, behaves []sessionevents.LedgerRun) {
	for _, r := range slices.Backward(behaves) {
		if r.Result == sessionevents.CheckPassed && (!c.Broad || r.Kind != sessionevents.CheckRun) {
			c.proven(&r)
			return
		}
	}
	latest := behaves[len(behaves)-1]
	c.By = &latest
	if latest.Result == sessionevents.CheckPassed {
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d runs a program; no test ran since the last change.", quoted(latest.Command), latest.Turn)
		return
	}
	if latest.Result == sessionevents.CheckFailed {
		c.lacks(sessionevents.NotCheckable, "", "%s of turn %d failed; whether the claim speaks of it is not known.", quoted(latest.Command), latest.Turn)
		return
	}
	c.lacks(sessionevents.NotCheckable, "", "What %s of turn %d came to is not known.", quoted(latest.Command), latest.Turn)
}

// broken finds a promise that a claim of completion leaves out: a test that was to be
// written, a request that nothing names, code that nothing uses.
func (d *digest) broken(c claimView) bool {
	if d.untested(c.Claim) {
		c.lacks(sessionevents.Unproven, GapUnwritten, "This session wrote no test.")
		return true
	}
	if y := d.unused(c.Claim); y != nil {
		c.lacks(sessionevents.Unproven, GapUnused, "No other line of this session names %s of %s, made in turn %d.", quoted(y.Name), quote.Path(y.Path), y.At.Turn)
		return true
	}
	if c.Kind != sessionevents.ClaimDone || !c.Final || d.out.Hedged || !d.c.whole.MatchString(c.Text) {
		return false
	}
	if p, file := d.unwrittenTest(); file != "" {
		c.lacks(sessionevents.Unproven, GapUnwritten, "Turn %d promises tests in %s, and this session did not change it.", p.Turn, file)
		return true
	}
	if p := d.ignored(); p != nil {
		c.lacks(sessionevents.Unproven, GapIgnored, "Nothing since turn %d works on %s or speaks of it.", p.Turn, quote.Words(p.Text, 8))
		return true
	}
	return false
}

func (d *digest) neverRan(c claimView, changed Place, kind sessionevents.CheckKind) {
	_, paths := d.l.Changed(Place{}, behaviour...)
	c.Show = d.known(kind)
	switch {
	case changed.Zero() && !d.l.Delegated.Zero():
		c.lacks(sessionevents.NotCheckable, "", "A subagent or continuous integration did the work; what it ran is not in this session.")
	case changed.Zero() && c.Kind != sessionevents.ClaimTests:
		c.lacks(sessionevents.NotCheckable, "", "The session changed nothing that a check could show.")
	case changed.Zero():
		c.lacks(sessionevents.Unproven, GapNever, "No %s ran in this session.", word(kind))
	default:
		verdict := sessionevents.Unproven
		if c.Kind == sessionevents.ClaimTests && c.Broad && c.Final && d.l.Shell {
			verdict = sessionevents.Contradicted // it reports the result of a run that there was not
		}
		c.lacks(verdict, GapNever, "%s changed and no %s ran in this session.", names(paths), word(kind))
	}
}

// made is the file that the session wrote and a claim names, else the last that it wrote.
func (d *digest) made(text string) string {
	for _, f := range slices.Backward(d.l.Files) {
		if base := path.Base(f.Path); strings.Contains(text, base) && !f.Gone {
			return f.Path
		}
	}
	return d.l.Files[len(d.l.Files)-1].Path
}

// unmade: what is called made is not there. Where no command took effect either, nothing else
// can have made it.
func (d *digest) unmade(c claimView) {
	if d.l.Acted.Zero() {
		c.lacks(sessionevents.Contradicted, GapUnmade, "The session changed no file, and none of its commands succeeded.")
		return
	}
	c.lacks(sessionevents.Unproven, GapUnmade, "The session changed no file.")
}
