package mailbox

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	maxSessions = 10_000 // that are remembered, the latest used
	maxWaiting  = 32     // interrupts of one session
	maxEmitted  = 32     // of one session, without an answer
)

// box is what is known of one session.
type box struct {
	id      string
	run     string
	group   string // of its events (EV-4)
	turn    int    // the last one that was evaluated
	mutes   []budget.Mute
	waiting []*sessionevents.InterruptFired
	emitted []emitted
	denials []Denial
	heard   heard
}

// emitted is an interrupt that was put before the agent and not yet proven to
// have reached it.
type emitted struct {
	fact sessionevents.InterruptDelivery
	// batch is true while the batch of the tool whose answer carried it still runs;
	// the end of that batch proves nothing yet.
	batch bool
}

// fired keeps an interrupt; the oldest leaves where there are too many.
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

// told takes a fact about an interrupt: whatever it is, the interrupt is not to
// be said any more (DP-21).
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

// expire takes out what is too old to be said.
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
