package stuckloop

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// call is one of the turn as the watch follows it.
type call struct {
	*watch
	a *act
}

// newest is a call with the step that it is remembered as, and what they show of a loop.
type newest struct {
	call
	now *step
}

// follow records the call: one that did nothing because of its form is counted as that alone; a
// change of files resets the count; polling something that runs has its own counter; everything
// else is a step.
func (c call) follow() {
	a := c.a
	c.calls++
	m := c.memory
	m.Calls++
	c.lost()
	now := c.step(a)
	n := newest{c, &now}
	defer func() { m.Last = now.Key }()
	if c.malformed() || c.refused() {
		return
	}
	n.settle()
	c.churn()
	n.test()
	n.untested()
	if a.is(sessionevents.ToolAsk) {
		m.clear() // a person answered
		return
	}
	if c.edits() || n.polls() {
		return
	}
	c.search()
	m.remember(now, c.Window)
	if !n.look() {
		n.missing()
	}
}

// settle resets the counts where the call changed what later ones see.
func (n newest) settle() {
	a, now := n.a, n.now
	m := n.memory
	repeated := m.seen(now)
	switch {
	case n.edited() && !(repeated && a.is(sessionevents.ToolShell)):
		m.changed()
		m.Edits++
	case a.failure == nil && !repeated && n.mayChange():
		m.changed()
	}
}

// edits: an edit that took place, which is not a step of a loop.
func (c call) edits() bool {
	a := c.a
	return a.failure == nil && !a.is(sessionevents.ToolShell) && (len(a.edits) > 0 || a.edit())
}

// step is the call as it is remembered.
func (w *watch) step(a *act) step {
	if w.memory.Home == "" && a.segment.Tool != nil {
		w.memory.Home, _ = w.where(a.segment.Tool)
	}
	s := step{Key: w.key(a, w.memory.Home), Result: result(a), Turn: w.pass.Turn.Turn, Round: a.round, Label: w.label(a)}
	if n := len(w.memory.Steps); n > 0 && w.memory.Steps[n-1].Result == s.Result {
		s.Target = w.target(a)
	}
	if e := failed(a); e != nil {
		s.Transient = e.Transient
		s.Error = max(w.signature(e.Signature, &s), 1)
		s.Mixed = a.segment.Result != nil && a.segment.Result.Bytes > w.MixedBytes+mixedFactor*len(e.Signature)
	} else if s.Result != 0 {
		s.Empty = w.isEmpty(a)
	}
	return s
}

// mixedFactor is how often an output may hold its error, as message and as context.
const mixedFactor = 3

func failed(a *act) *sessionevents.ErrorInfo {
	if a.failure == nil {
		return nil
	}
	return a.failure.Error
}

// signature identifies an error; one that says nothing in particular is the same
// only with the same call and output.
func (d *instance) signature(text string, s *step) uint32 {
	if d.GenericErrors.MatchString(text) {
		return s.Key ^ s.Result
	}
	return hash(text)
}

// isEmpty: a success that says nothing but that it is one.
func (d *instance) isEmpty(a *act) bool {
	return a.segment.Result.Bytes == 0 || a.has(d.CleanEffects) || d.EmptyResults[strings.ToLower(a.output())]
}

// edited reports whether the call changed a file's content.
func (c call) edited() bool {
	a := c.a
	changed := len(a.edits) == 0 && a.edit() && a.failure == nil && a.segment.Result != nil
	for _, s := range a.edits {
		changed = c.changes(s) || changed
	}
	return changed
}

// changes: an applied edit that takes away or adds something else than it finds.
func (w *watch) changes(s *sessionevents.Segment) bool {
	if s.Diff == nil || s.Diff.Failed {
		return false
	}
	switch s.Diff.Op {
	case sessionevents.DiffCreate:
		return w.writes(s)
	case sessionevents.DiffUpdate:
		added, removed := s.Diff.Added(), s.Diff.Removed()
		same := slices.EqualFunc(added, removed, func(a, b sessionevents.Line) bool { return a.Text == b.Text })
		return len(s.Diff.Hunks) == 0 || s.Diff.Truncated > 0 || !same
	}
	return true
}

// writes reports whether a file is written with another content than last time.
func (w *watch) writes(s *sessionevents.Segment) bool {
	m := w.memory
	now := written{Path: hash(s.Path)}
	for _, d := range w.pass.Additions.Diffs {
		if d.Segment == s.Index {
			now.Content = d.Item.AddedHash
		}
	}
	if slices.Contains(m.Written, now) {
		return false
	}
	m.Written = slices.DeleteFunc(m.Written, func(old written) bool { return old.Path == now.Path })
	m.Written = text.Newest(append(m.Written, now), maxWritten)
	return true
}

// mayChange: a new command that wrote, installed or formatted something, or
// another agent that did its work, counts like an edit. One that was only launched did nothing yet.
func (c call) mayChange() bool {
	a := c.a
	return a.is(sessionevents.ToolAgent) && !c.Running.MatchString(a.output()) || a.has(c.ChangingEffects) ||
		a.is(sessionevents.ToolShell) && slices.ContainsFunc(a.segment.Accesses, func(access sessionevents.Access) bool { return access.Kind == sessionevents.AccessWrite })
}
