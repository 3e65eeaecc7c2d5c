package detect

import (
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// judge asks each detector for the outcome of its open signals (SW-44). Corrected signals
// and those that are too old are dropped; the others stay open for the next turn.
func (s *Suite) judge(p *Pass, m *Memory) []sessionevents.PendingOutcome {
	var outcomes []sessionevents.PendingOutcome
	kept := m.open[:0:0]
	for _, signal := range m.open {
		if p.Turn.Turn-signal.Turn > s.config.OpenSignals.MaxAgeTurns {
			continue
		}
		pending, known := s.pending(p, m, &signal)
		if !known {
			continue
		}
		outcomes = append(outcomes, pending)
		if pending.Outcome != sessionevents.OutcomeCorrected {
			kept = append(kept, signal)
		}
	}
	m.open = kept
	return outcomes
}

// pending asks the detector about an open signal, or reads the outcome from the record if
// the detector does not run again.
func (s *Suite) pending(p *Pass, m *Memory, signal *sessionevents.Signal) (of sessionevents.PendingOutcome, known bool) {
	if p.Record.keeps(signal.Detector) {
		return p.Record.outcome(signal.ID)
	}
	outcome, why := s.outcome(p, m, signal)
	return sessionevents.PendingOutcome{ID: signal.ID, Outcome: outcome, Why: why}, true
}

func (s *Suite) outcome(p *Pass, m *Memory, signal *sessionevents.Signal) (sessionevents.Outcome, string) {
	for _, e := range s.entries {
		if e.detector.ID != signal.Detector {
			continue
		}
		view := *p
		view.State = m.state(e.detector.ID, e.instance)
		outcome, why := e.instance.Judge(&view, signal)
		if outcome != sessionevents.OutcomeCorrected && outcome != sessionevents.OutcomeCommitted && settles(signal, p) {
			return sessionevents.OutcomeCommitted, "the response ends with it"
		}
		if outcome == sessionevents.OutcomeCorrected || outcome == sessionevents.OutcomeCommitted {
			return outcome, why
		}
		return sessionevents.OutcomeOpen, why
	}
	return sessionevents.OutcomeOpen, "its detector does not run"
}

// settles reports whether the turn hands over the work that a watched signal is about:
// the response ends with it, or the primary reports something as done (DP-11). An
// announcement alone is not work.
func settles(signal *sessionevents.Signal, p *Pass) bool {
	return watchable(signal) && (p.Reports || p.Report() != nil)
}

var watchedClasses = []sessionevents.Class{sessionevents.ClassA, sessionevents.ClassB, sessionevents.ClassE}

// watchable reports whether a signal is about an edit and becomes more urgent once the
// primary commits to it (DP-11).
func watchable(signal *sessionevents.Signal) bool {
	if !slices.Contains(watchedClasses, signal.Class) {
		return false
	}
	return signal.Urgency <= LogOnly && signal.Cap == nil && slices.ContainsFunc(signal.Evidence, func(e sessionevents.Evidence) bool {
		return e.Kind == sessionevents.SegmentDiff
	})
}

// remember keeps this turn's signals for judging; the oldest are dropped first.
func (s *Suite) remember(m *Memory, signals []sessionevents.Signal) {
	for _, signal := range signals {
		if signal.Suppressed == "" {
			m.open = append(m.open, signal)
		}
	}
	if extra := len(m.open) - s.config.OpenSignals.Max; extra > 0 {
		m.open = append(m.open[:0:0], m.open[extra:]...)
		m.Dropped += extra
	}
}
