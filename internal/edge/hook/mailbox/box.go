package mailbox

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	maxSessions = 10_000 // sessions to remember, the most recently used ones
	maxWaiting  = 32     // pending interrupts of one session
	maxEmitted  = 32     // emitted interrupts of one session that are unconfirmed
)

// box is what is known of one session.
type box struct {
	id      string
	run     string
	group   string // group of its events (EV-4)
	turn    int    // the last turn that was evaluated
	mutes   []budget.Mute
	waiting []*sessionevents.InterruptFired
	emitted []emitted
	denials []Denial
	heard   heard

	// opened is true once what DECISIONS holds of it up to through is folded in; blank, if that is nothing.
	// Without it, the box only holds what happened here.
	opened, blank bool
	through       uint64
}

// emitted is an interrupt that was emitted but is not yet proven to have reached the agent.
type emitted struct {
	fact sessionevents.InterruptDelivery
	// batch is true while the tools still run among which it was emitted; the end of that batch proves
	// nothing yet.
	batch bool
}

// fired stores an interrupt; if there are too many, it drops and returns the oldest.
func (b *box) fired(i *sessionevents.InterruptFired) (dropped *sessionevents.InterruptFired) {
	if b.waits(i.ID) >= 0 || b.emittedIndex(i.ID) >= 0 {
		return nil
	}
	if b.waiting = append(b.waiting, i); len(b.waiting) > maxWaiting {
		dropped, b.waiting = b.waiting[0], b.waiting[1:]
	}
	return dropped
}

func (b *box) waits(id string) int {
	return slices.IndexFunc(b.waiting, func(i *sessionevents.InterruptFired) bool { return i.ID == id })
}

func (b *box) emittedIndex(id string) int {
	return slices.IndexFunc(b.emitted, func(e emitted) bool { return e.fact.Interrupt == id })
}

// told handles a fact about an interrupt: whatever it is, the interrupt will not be emitted any more
// (DP-21).
func (b *box) told(d *sessionevents.InterruptDelivery) {
	i := b.waits(d.Interrupt)
	if d.Interrupt == "" {
		i = slices.IndexFunc(b.waiting, func(f *sessionevents.InterruptFired) bool { return f.Turn == d.Turn })
	}
	if i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	}
	at := b.emittedIndex(d.Interrupt)
	switch {
	case d.State == sessionevents.DeliveryEmitted && at < 0:
		b.emit(*d, false)
	case d.State != sessionevents.DeliveryEmitted && d.State != sessionevents.DeliveryIgnored && at >= 0:
		b.emitted = slices.Delete(b.emitted, at, at+1)
	}
}

func (b *box) emit(fact sessionevents.InterruptDelivery, batch bool) {
	if b.emitted = append(b.emitted, emitted{fact: fact, batch: batch}); len(b.emitted) > maxEmitted {
		b.emitted = b.emitted[1:]
	}
}

// expire removes what is too old to be emitted.
func (b *box) expire() (old []*sessionevents.InterruptFired) {
	b.waiting = slices.DeleteFunc(b.waiting, func(i *sessionevents.InterruptFired) bool {
		expired := i.ExpiresTurn > 0 && b.turn > i.ExpiresTurn
		if expired {
			old = append(old, i)
		}
		return expired
	})
	return old
}
