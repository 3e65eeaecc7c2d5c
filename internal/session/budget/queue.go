package budget

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// before compares entries in order of delivery: urgency, then detection turn, then id,
// never insertion (DP-17).
func (e Entry) before(other Entry) int {
	return cmp.Or(
		-cmp.Compare(e.Urgency, other.Urgency),
		cmp.Compare(e.Signal.Turn, other.Signal.Turn),
		cmp.Compare(e.Signal.ID, other.Signal.ID),
	)
}

// place returns the index of an entry, or the index at which it would be inserted.
func (s *Session) place(e Entry) int {
	i, _ := slices.BinarySearchFunc(s.Queue, e, Entry.before)
	return i
}

func (s *Session) insert(e Entry) { s.Queue = slices.Insert(s.Queue, s.place(e), e) }

// queued puts a signal into the queue.
type queued struct {
	entry Entry
	told  sessionevents.InterruptQueued
}

// Event reports that a signal is waiting.
func (d queued) Event() (events.Type, any) { return sessionevents.TypeInterruptQueued, &d.told }

func (d queued) evolve(s *Session) {
	s.forget(d.entry.Signal.ID)
	s.insert(d.entry)
}

// coalesced folds a signal into another: count and latest evidence are updated, and the
// higher urgency is kept with its reason (DP-17).
type coalesced struct {
	disposition sessionevents.Disposition
	signal      *sessionevents.Signal
	reason      sessionevents.QueueReason
	forced      bool
	committed   bool
}

// Event returns the disposition's event.
func (d coalesced) Event() (events.Type, any) {
	return sessionevents.TypeSignalCoalesced, &d.disposition
}

func (d coalesced) evolve(s *Session) {
	s.forget(d.disposition.Signal)
	i := slices.IndexFunc(s.Queue, func(e Entry) bool { return e.Signal.ID == d.disposition.Into })
	if i < 0 {
		return // folded into a signal that was already sent
	}
	e := s.Queue[i]
	s.Queue = slices.Delete(s.Queue, i, i+1)
	e.Count, e.Since = e.Count+1, d.disposition.Turn
	if !d.signal.ByModel() || e.Signal.ByModel() {
		e.Latest = d.signal // a rule's message is not replaced by a model's
	}
	if d.disposition.Urgency > e.Urgency {
		e.Urgency, e.Reason = d.disposition.Urgency, d.reason
	}
	e.Forced = e.Forced || d.forced
	e.Cooled = e.Cooled || d.reason == sessionevents.ReasonCooldown
	e.Committed = e.Committed || d.committed
	s.insert(e)
}
