package stuckloop

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// churn counts files that are written as a whole again and again without a check in between: the
// same bytes, or one or two files in turn.
func (w *watch) churn(a *act) {
	m := w.memory
	if !a.is(sessionevents.ToolWrite) {
		if w.checks(a) {
			m.Rewritten = nil
			for _, id := range m.seenIDs(kindChurn) {
				m.unsee(kindChurn, id)
			}
		}
		return
	}
	if len(a.edits) == 0 || a.failure != nil {
		return
	}
	file := hash(a.segment.Path)
	m.Rewritten = text.Newest(append(m.Rewritten, file), w.Churn.Nudge)
	if files := slices.Compact(slices.Sorted(slices.Values(m.Rewritten))); len(files) > churnFiles {
		m.Rewritten = m.Rewritten[len(m.Rewritten)-1:]
		m.unsee(kindChurn, kindMark)
	}
	length, first := w.sight(kindChurn, kindMark, 0)
	w.grow(loop{
		kind: kindChurn, id: kindMark, subject: brief(a.segment.Path), length: min(length, len(m.Rewritten)), first: first, limits: w.Churn,
	}, a.segment)
}

// churnFiles is how many files that take turns are churn; more are work.
const churnFiles = 2

// checks: a call that can show what the writing led to.
func (w *watch) checks(a *act) bool {
	return a.is(sessionevents.ToolShell, sessionevents.ToolRead, sessionevents.ToolSearch, sessionevents.ToolFetch, sessionevents.ToolAgent, sessionevents.ToolAsk) &&
		w.mishap(a) == ""
}
