package userrules

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Judge returns the outcome of a signal (SW-44): according to the rule's own conditions
// over the segments of this turn, otherwise to its lines: if they were removed it is
// corrected, if the same finding recurs it is committed.
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	e := newEnvironment(p, d.limits, d.program.uses)
	e.Counters = p.State.(*memory).Counters
	e.Signal = s.Subject
	if d.program.corrected != nil {
		if d.any(e, func() bool { yes, err := d.holds(d.program.corrected, e); return err == nil && yes }) {
			return sessionevents.OutcomeCorrected, "the rule's own condition"
		}
	} else if removed(p, s) {
		return sessionevents.OutcomeCorrected, "the lines were removed"
	}
	if d.program.committed != nil {
		if d.any(e, func() bool { yes, err := d.holds(d.program.committed, e); return err == nil && yes }) {
			return sessionevents.OutcomeCommitted, "the rule's own condition"
		}
	} else if d.again(p, e, s) {
		return sessionevents.OutcomeCommitted, "found once more"
	}
	return sessionevents.OutcomeOpen, ""
}

// any reports whether a condition holds for a segment of the turn.
func (d *instance) any(e *environment, holds func() bool) bool {
	return slices.ContainsFunc(e.Segments, func(f facts) bool {
		e.facts = f
		return holds()
	})
}

// again reports whether the condition holds again about the same subject.
func (d *instance) again(p *detect.Pass, e *environment, s *sessionevents.Signal) bool {
	same := func(at int) bool {
		f, err := d.look(p, e, at)
		return err == nil && f != nil && f.Subject == s.Subject
	}
	if d.program.rule.On == "turn" {
		e.facts = facts{}
		return len(e.Segments) > 0 && same(d.place(p))
	}
	for i := range e.Segments {
		e.facts = e.Segments[i]
		if !d.wants(&e.facts) {
			continue
		}
		if same(i) {
			return true
		}
	}
	return false
}

// removed reports whether an edit of the same file removed the quoted lines without
// adding them again.
func removed(p *detect.Pass, s *sessionevents.Signal) bool {
	if len(s.Evidence) == 0 || s.Evidence[0].Kind != sessionevents.SegmentDiff || s.Evidence[0].Quote == "" {
		return false
	}
	at := s.Evidence[0]
	quote, _, _ := strings.Cut(strings.TrimSuffix(at.Quote, "…"), "\n")
	for i := range p.Turn.Segments {
		d := &p.Turn.Segments[i]
		if !detect.Applied(d) || d.Path != at.Path {
			continue
		}
		if holdsLine(d.Diff.Removed(), quote) && !holdsLine(d.Diff.Added(), quote) {
			return true
		}
	}
	return false
}

func holdsLine(list []sessionevents.Line, text string) bool {
	return slices.ContainsFunc(list, func(l sessionevents.Line) bool { return strings.Contains(l.Text, text) })
}
