package ledger

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// causeJudge judges claims about the cause of a failure.
type causeJudge struct{ *evidence }

// cause is not proven by the failure, which shows only that there is something to explain.
func (j causeJudge) cause(c claimView) {
	switch {
	case j.l.Seen.After(Place{Turn: j.l.Asked.Turn - 1}):
		c.lacks(sessionevents.NotCheckable, "", "The session saw a record in turn %d; that this is the cause is a conclusion.", j.l.Seen.Turn)
	case j.l.Failing.After(j.l.Reported) && !j.l.Failing.Zero() && j.l.Failing.After(Place{Turn: j.l.Asked.Turn - 1}):
		c.lacks(sessionevents.NotCheckable, "", "The session saw a failure in turn %d; that this is its cause is a conclusion.", j.l.Failing.Turn)
	default:
		c.lacks(sessionevents.Unproven, GapCause, "Nothing that the session ran shows the failure.")
	}
}

// excuse judges a claim that a failure is older, which a run on the unchanged code
// proves. Without a failed check there is nothing to excuse.
func (j causeJudge) excuse(c claimView) {
	changed, _ := j.l.Changed(Place{}, behaviour...)
	switch {
	case changed.Zero():
		c.lacks(sessionevents.NotCheckable, "", "The session changed nothing yet.")
	case j.passedSince():
		c.lacks(sessionevents.NotCheckable, "", "No check of the session fails at this place.")
	case j.c.Ambient.MatchString(c.Text) && !j.l.Lacking.Zero() && !j.l.Failing.After(j.l.Lacking):
		c.lacks(sessionevents.Proven, "", "The output of turn %d says what the machine lacks.", j.l.Lacking.Turn)
	case j.c.Located.MatchString(c.Text) && j.l.Found.Zero():
		c.lacks(sessionevents.NotCheckable, "", "A finding of a linter names its place.")
	case !j.l.Original.Zero():
		c.lacks(sessionevents.Proven, "", "A check ran on the unchanged code in turn %d.", j.l.Original.Turn)
	default:
		c.lacks(sessionevents.Unproven, GapExcuse, "No check ran on the code without the changes of this session.")
	}
}

// passedSince reports whether nothing failed in the session, or everything that failed
// has passed since.
func (j causeJudge) passedSince() bool {
	if j.l.Failing.Zero() {
		return true
	}
	runs := j.l.runs()
	later := after(runs, j.l.Failing)
	return j.c.openFailure(runs) == nil && slices.ContainsFunc(later, func(r sessionevents.LedgerRun) bool {
		return r.Result == sessionevents.CheckPassed
	})
}

// blamed returns the kinds of claims that a person's report of a fault contradicts.
func (c *Config) blamed(text string) []sessionevents.ClaimKind {
	var kinds []sessionevents.ClaimKind
	for _, sentence := range sentencesOf(text) {
		if !c.Reports.MatchString(sentence) || strings.HasSuffix(strings.TrimSpace(sentence), "?") {
			continue
		}
		for _, blame := range c.Blames {
			if blame.Names.MatchString(sentence) && !slices.Contains(kinds, blame.Kind) {
				kinds = append(kinds, blame.Kind)
			}
		}
	}
	return kinds
}

// comesAndGoes reports whether a message reports an intermittent fault.
func (c *Config) comesAndGoes(text string) bool {
	return slices.ContainsFunc(sentencesOf(text), func(s string) bool {
		return c.Intermittent.MatchString(s) && (c.Reports.MatchString(s) || c.Demands.MatchString(text))
	})
}
