package unprovencompletion

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge calls a signal corrected once a check runs or the primary names what is
// unchecked, committed when it claims the same again (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if p.Ledger == nil {
		return sessionevents.OutcomeOpen, ""
	}
	for i := range p.Ledger.Change.Checks {
		if kind := p.Ledger.Change.Checks[i].Kind; kind == sessionevents.CheckTest || kind == sessionevents.CheckRun || kind == sessionevents.CheckRequest || kind == sessionevents.CheckBuild {
			return sessionevents.OutcomeCorrected, "a check ran"
		}
	}
	if p.Ledger.Hedged {
		return sessionevents.OutcomeCorrected, "the primary names what is unchecked"
	}
	for i := range p.Ledger.Claims {
		c := &p.Ledger.Claims[i]
		if string(c.Kind)+" claim" == s.Subject && c.Verdict != sessionevents.Proven {
			return sessionevents.OutcomeCommitted, "claimed once more"
		}
	}
	return sessionevents.OutcomeOpen, "nothing that shows it ran"
}
