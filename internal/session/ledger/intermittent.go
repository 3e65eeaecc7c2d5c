package ledger

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// comesAndGoes reports whether a message reports a fault that does not show each time.
func (d *digest) comesAndGoes(text string) bool {
	return slices.ContainsFunc(sentencesOf(text), func(s string) bool {
		return d.c.intermittent.MatchString(s) && (d.c.reports.MatchString(s) || d.c.demands.MatchString(text))
	})
}

// once: a fault that comes and goes is called fixed after too few runs, and neither was it seen
// failing nor does a new test beside the change of the code show it.
func (d *digest) once(c *sessionevents.Claim, behaves []sessionevents.LedgerRun) bool {
	if c.Kind != sessionevents.ClaimWorks || !d.l.Intermittent || !d.unseen(c) || len(behaves) >= d.c.EnoughRuns {
		return false
	}
	code, _ := d.l.Changed(d.l.Reported, sessionevents.MutationCode)
	tests, _ := d.l.Changed(d.l.Reported, sessionevents.MutationTests)
	if code.Zero() && tests.Zero() || !code.Zero() && !tests.Zero() {
		return false
	}
	return !slices.ContainsFunc(behaves, func(r sessionevents.LedgerRun) bool { return d.c.repeats.MatchString(r.Command) })
}

// exercised reports whether the program itself ran or answered since the change: the case that
// was reported may be among what it did.
func exercised(behaves []sessionevents.LedgerRun) bool {
	return slices.ContainsFunc(behaves, func(r sessionevents.LedgerRun) bool {
		return r.Result == sessionevents.CheckPassed && (r.Kind == sessionevents.CheckRequest || r.Kind == sessionevents.CheckRun && r.Runner != "")
	})
}
