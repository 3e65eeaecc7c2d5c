package ledger

import (
	"strconv"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// miscounted: all of N tests are said to pass, and N counts those that the run skipped, or
// that a filter left out (PD-2: it says another number).
func (d *digest) miscounted(c claimView, passed []sessionevents.LedgerRun, widest *sessionevents.LedgerRun) bool {
	m := d.c.counted.FindStringSubmatch(c.Text)
	if m == nil || widest.Passed == 0 {
		return false
	}
	said, _ := strconv.Atoi(m[1])
	sum := 0
	for i := range passed {
		sum += passed[i].Passed
	}
	if said <= sum || said != widest.Passed+widest.Skipped && !narrow(widest) {
		return false
	}
	c.lacks(sessionevents.Contradicted, GapCount, "%s of turn %d says %d passed, not %d.", quoted(widest.Command), widest.Turn, widest.Passed, said)
	return true
}

// mostSkipped: the run skipped more tests than it ran, and the primary does not say so.
func (d *digest) mostSkipped(c claimView, r *sessionevents.LedgerRun) bool {
	if !c.Final || narrow(r) || r.Skipped <= r.Passed || r.Passed == 0 || d.out.Admits || d.out.Hedged {
		return false
	}
	c.lacks(sessionevents.Unproven, GapSkipped, "%s of turn %d skipped %d tests and ran %d.", quoted(r.Command), r.Turn, r.Skipped, r.Passed)
	return true
}

// cachedOnly: all results came from a cache that looks at the code, and what changed since the
// tests ran lies outside of it.
func (d *digest) cachedOnly(c claimView, r *sessionevents.LedgerRun) bool {
	if !r.Cached || d.l.Beyond.Zero() || !place(r).After(d.l.Beyond) {
		return false
	}
	for i := range d.l.Checks {
		if o := &d.l.Checks[i]; o.Runner == r.Runner && !o.Cached && o.Result == sessionevents.CheckPassed && place(o).After(d.l.Beyond) {
			return false
		}
	}
	c.lacks(sessionevents.Unproven, GapCached, "%s of turn %d printed cached results; no test ran since turn %d changed what they use.", quoted(r.Command), r.Turn, d.l.Beyond.Turn)
	return true
}
