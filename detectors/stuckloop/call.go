package stuckloop

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
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

// refused counts the turns in which edits of one file were refused because the text to replace is
// not in it. Another way to change the file does not answer that; an edit that is accepted ends it.
// It reports true once that is a loop.
func (c call) refused() bool {
	a := c.a
	file := edited(a)
	if file == "" {
		return false
	}
	id := hash("refused", file)
	switch {
	case a.failure == nil:
		c.memory.unsee(kindRefused, id)
		return false
	case !c.Refusals.MatchString(a.output()):
		return false
	}
	turns, first := c.sight(kindRefused, id, c.RefusedCalls)
	at := slices.IndexFunc(c.memory.Sightings, func(s sightings) bool { return s.Kind == kindRefused && s.ID == id })
	seen := &c.memory.Sightings[at]
	seen.Tries++
	limits := c.Refused
	if seen.Tries >= c.RefusedTries { // many at once are one try, but say as much as another one
		limits.Nudge--
	}
	return c.grow(loop{
		kind: kindRefused, id: uint64(id), subject: "refused edits of " + path.Base(file), length: turns, first: first,
		limits: limits, marks: []uint32{id}, error: failed(a).Signature, job: path.Base(file),
	}, a.segment)
}

// edited is the file that the call of an edit tool names.
func edited(a *act) string {
	if !a.edit() {
		return ""
	}
	for _, s := range a.edits {
		if s.Path != "" {
			return s.Path
		}
	}
	return a.segment.Path
}

// takes: an edit of the file is accepted.
func takes(a *act, k *streak) bool {
	file := edited(a)
	return a.failure == nil && file != "" && slices.Contains(k.Marks, hash("refused", file))
}

func (g *growth) refusedWords() (message, reason string) {
	n, since := g.streak.Length, g.streak.First
	return fmt.Sprintf("Edits of %s were refused in %d turns since turn %d: the text to replace is not in it as sent. Read those lines again and copy them to the letter, blanks and tabs included.", quote.Path(g.job), n, since),
		fmt.Sprintf("Edits of one file were refused in %d turns since turn %d because of the text to replace.", n, since)
}
