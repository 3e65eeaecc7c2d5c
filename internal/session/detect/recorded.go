package detect

import (
	"cmp"
	"slices"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Recorded is the record of a turn. Detectors whose rules do not differ are not run
// again: their signals and outcomes are taken from the record (AU-20).
type Recorded struct {
	Again   []string // detectors that run again, whose recorded results are ignored
	Signals []sessionevents.Signal
	Closed  *sessionevents.TurnEvaluated
}

// keeps reports whether the recorded results of a detector are used.
func (r *Recorded) keeps(detector string) bool {
	return r != nil && !slices.Contains(r.Again, detector)
}

// outcome returns the recorded outcome of an open signal. It is unknown if the recorded
// evaluator had dropped the signal because too many were open.
func (r *Recorded) outcome(id string) (outcome sessionevents.PendingOutcome, known bool) {
	at := slices.IndexFunc(r.Closed.Pending, func(p sessionevents.PendingOutcome) bool { return p.ID == id })
	if at < 0 {
		return outcome, false
	}
	return r.Closed.Pending[at], true
}

// join merges the recorded results with the detectors' findings, in the order of a whole
// suite.
func (r *Recorded) join(result *Result) {
	if r == nil {
		return
	}
	found := result.Signals
	result.Signals = nil
	for i := range r.Signals {
		if r.keeps(r.Signals[i].Detector) {
			result.Signals = append(result.Signals, r.Signals[i])
		}
	}
	result.Signals = append(result.Signals, found...)
	slices.SortStableFunc(result.Signals, func(a, b sessionevents.Signal) int { return cmp.Compare(a.Detector, b.Detector) })
	if r.Closed.Observed == nil {
		return
	}
	for _, u := range r.Closed.Observed.Unread {
		if r.keeps(u.Detector) {
			result.Unread = append(result.Unread, u)
		}
	}
	slices.SortStableFunc(result.Unread, func(a, b sessionevents.Unread) int { return cmp.Compare(a.Detector, b.Detector) })
}

// Again returns the detectors whose findings may differ between s and other: their own
// sections of the rules or their modes differ, or they may find the same thing as such a
// detector (SW-41a).
func (s *Suite) Again(other *Suite, differs func(section string) bool) (ids []string) {
	modes := func(of *Suite) map[string]rules.Mode {
		all := map[string]rules.Mode{}
		for _, e := range of.entries {
			all[e.detector.ID] = e.mode
		}
		return all
	}
	was, is := modes(s), modes(other)
	for _, e := range slices.Concat(s.entries, other.entries) {
		id := e.detector.ID
		if was[id] != is[id] || slices.ContainsFunc(e.sections, differs) {
			ids = append(ids, id)
		}
	}
	if slices.ContainsFunc(ids, func(id string) bool { return slices.Contains(precedence, id) }) {
		ids = append(ids, precedence...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
