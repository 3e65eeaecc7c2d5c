package unprovencompletion

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge reports a signal as corrected once the primary does what was left out, by a check
// or an act of the claim's own kind (JD-45), or names what is unchecked, and as committed
// if it repeats the claim (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if p.Ledger == nil {
		return sessionevents.OutcomeOpen, ""
	}
	if s.Subclass == ledger.GapCause || s.Subclass == ledger.GapExcuse {
		if explained(p, s.Subclass) {
			return sessionevents.OutcomeCorrected, "a check shows it"
		}
		return again(p, s)
	}
	if s.Subclass == ledger.GapUnwritten || s.Subclass == ledger.GapIdle {
		if len(p.Ledger.Change.Mutations) > 0 {
			return sessionevents.OutcomeCorrected, "something was written"
		}
		return again(p, s)
	}
	kind := sessionevents.ClaimKind(strings.TrimSuffix(s.Subject, " claim"))
	if kinds, known := answers[kind]; known {
		if slices.ContainsFunc(p.Ledger.Change.Checks, func(r sessionevents.LedgerRun) bool { return slices.Contains(kinds, r.Kind) }) {
			return sessionevents.OutcomeCorrected, "a check ran"
		}
		return again(p, s)
	}
	if slices.ContainsFunc(p.Ledger.After.Acts, func(a ledger.Act) bool { return a.Kind == kind && a.At.Turn == p.Turn.Turn }) {
		return sessionevents.OutcomeCorrected, "it was done"
	}
	return again(p, s)
}

// behaves are the kinds of checks that show behaviour.
var behaves = []sessionevents.CheckKind{sessionevents.CheckTest, sessionevents.CheckRun, sessionevents.CheckRequest, sessionevents.CheckBuild}

// answers maps kinds of claims to the kinds of checks that answer them. Claims of acts
// are answered by acts.
var answers = map[sessionevents.ClaimKind][]sessionevents.CheckKind{
	sessionevents.ClaimTests:    {sessionevents.CheckTest},
	sessionevents.ClaimBuild:    {sessionevents.CheckBuild, sessionevents.CheckTest, sessionevents.CheckRun, sessionevents.CheckTypes},
	sessionevents.ClaimLint:     {sessionevents.CheckLint, sessionevents.CheckTypes},
	sessionevents.ClaimWorks:    behaves,
	sessionevents.ClaimDone:     behaves,
	sessionevents.ClaimDeployed: behaves,
	sessionevents.ClaimEndpoint: {sessionevents.CheckRequest},
}

// explained reports whether the turn reproduces a failure whose cause was named, or runs
// the kind of check that failed on the code without the session's changes or
// successfully.
func explained(p *detect.Pass, gap string) bool {
	if gap != ledger.GapExcuse {
		return slices.ContainsFunc(p.Ledger.Change.Checks, func(r sessionevents.LedgerRun) bool { return r.Result == sessionevents.CheckFailed })
	}
	failed := sessionevents.CheckKind("")
	for _, r := range p.Ledger.Before.Checks {
		if r.Result == sessionevents.CheckFailed {
			failed = r.Kind
		}
	}
	return slices.ContainsFunc(p.Ledger.Change.Checks, func(r sessionevents.LedgerRun) bool {
		return (failed == "" || r.Kind == failed) && (r.Result == sessionevents.CheckPassed || p.Ledger.After.Aside)
	})
}

func again(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if p.Ledger.Hedged {
		return sessionevents.OutcomeCorrected, "the report names what is unchecked"
	}
	for i := range p.Ledger.Claims {
		c := &p.Ledger.Claims[i]
		if string(c.Kind)+" claim" == s.Subject && c.Verdict != sessionevents.Proven {
			return sessionevents.OutcomeCommitted, "claimed once more"
		}
	}
	return sessionevents.OutcomeOpen, "nothing that shows it ran"
}
