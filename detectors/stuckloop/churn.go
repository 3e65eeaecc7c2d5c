package stuckloop

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// churn counts files that are written as a whole again and again without a check in between: the
// same bytes, or one or two files in turn.
func (c call) churn() {
	a := c.a
	m := c.memory
	if !a.is(sessionevents.ToolWrite) {
		if c.checks() {
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
	m.Rewritten = text.Newest(append(m.Rewritten, file), c.Churn.Nudge)
	if files := slices.Compact(slices.Sorted(slices.Values(m.Rewritten))); len(files) > churnFiles {
		m.Rewritten = m.Rewritten[len(m.Rewritten)-1:]
		m.unsee(kindChurn, kindMark)
	}
	length, first := c.sight(kindChurn, kindMark, 0)
	c.grow(loop{
		kind: kindChurn, id: kindMark, subject: brief(a.segment.Path), length: min(length, len(m.Rewritten)), first: first, limits: c.Churn,
	}, a.segment)
}

// churnFiles is how many files that take turns are churn; more are work.
const churnFiles = 2

// checks: a call that can show what the writing led to.
func (c call) checks() bool {
	return c.a.is(sessionevents.ToolShell, sessionevents.ToolRead, sessionevents.ToolSearch, sessionevents.ToolFetch, sessionevents.ToolAgent, sessionevents.ToolAsk) &&
		c.mishap(c.a) == ""
}
