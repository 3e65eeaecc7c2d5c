package pipeline

import (
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

type (
	// Degradation is a phase that handed over less than its contract asks for (PL-3).
	Degradation = runevents.Degradation
	// Leftover is what was still open when a loop stopped at its limit (PL-8).
	Leftover = runevents.Leftover
	// Evaluation is a judgement with the mode its author was declared in (PL-20).
	Evaluation = runevents.Evaluation
	// ScopeResult is a scope check as recounted (PL-40).
	ScopeResult = runevents.ScopeResult
)

// Mark remembers where the lists for reports ended.
type Mark struct {
	degraded                   Degradation // the last one: later events count on it
	leftover, evaluated, scope string      // events of the last entries
}

// Mark returns the current ends of the lists for reports.
func (s *State) Mark() Mark {
	var m Mark
	if s.Run == nil {
		return m
	}
	m.degraded = last(s.Run.Degraded)
	m.leftover, m.evaluated, m.scope = last(s.Run.Leftovers).Event, last(s.Run.Judged).Event, last(s.Run.Scopes).Event
	return m
}

// Since adds what was concluded after the mark.
func (s *State) Since(m Mark, out *runevents.RunJudged) {
	if s.Run == nil {
		return
	}
	for _, d := range s.Run.Degraded {
		if d.Event == m.degraded.Event && d != m.degraded {
			out.Degradations = append(out.Degradations, d)
		}
	}
	out.Degradations = append(out.Degradations, after(s.Run.Degraded, m.degraded.Event, func(d Degradation) string { return d.Event })...)
	out.Leftovers = after(s.Run.Leftovers, m.leftover, func(l Leftover) string { return l.Event })
	out.Evaluations = after(s.Run.Judged, m.evaluated, func(e Evaluation) string { return e.Event })
	out.ScopeChecks = after(s.Run.Scopes, m.scope, func(r ScopeResult) string { return r.Event })
}

// last returns the last entry, the zero value if there is none.
func last[T any](list []T) (one T) {
	if len(list) > 0 {
		one = list[len(list)-1]
	}
	return one
}

// after returns the entries after the last one with an event; lists grow at the end
// and lose entries at the front.
func after[T any](list []T, event string, of func(T) string) []T {
	i := len(list)
	for i > 0 && of(list[i-1]) != event {
		i--
	}
	return append([]T(nil), list[i:]...)
}
