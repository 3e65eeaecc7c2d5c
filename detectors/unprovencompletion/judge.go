package unprovencompletion

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge calls a signal corrected once a check runs or the primary names what is
// unchecked, committed when it claims the same again (SW-44).
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
	for i := range p.Ledger.Change.Checks {
		if kind := p.Ledger.Change.Checks[i].Kind; kind == sessionevents.CheckTest || kind == sessionevents.CheckRun || kind == sessionevents.CheckRequest || kind == sessionevents.CheckBuild {
			return sessionevents.OutcomeCorrected, "a check ran"
		}
	}
	return again(p, s)
}

// explained reports whether the turn reproduces a failure whose cause was named, or runs a
// check that shows whether a failure is the session's own.
func explained(p *detect.Pass, gap string) bool {
	if gap == ledger.GapExcuse && p.Ledger.After.Original.Turn == p.Turn.Turn {
		return true
	}
	wanted := sessionevents.CheckFailed
	if gap == ledger.GapExcuse {
		wanted = sessionevents.CheckPassed
	}
	return slices.ContainsFunc(p.Ledger.Change.Checks, func(r sessionevents.LedgerRun) bool { return r.Result == wanted })
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
