package mailbox

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	maxSessions = 10_000 // sessions to remember, the most recently used ones
	maxWaiting  = 32     // pending interrupts of one session
	maxEmitted  = 32     // emitted interrupts of one session that are unconfirmed
	maxDenials  = 16     // denials that are remembered of one session
	// maxHeard limits what is pending from one session's subagents, and what is remembered of it.
	maxHeard = 8
	// heardFrom is the urgency from which a subagent's interrupt is also shown to its parent (CO-9).
	heardFrom sessionevents.Urgency = 40
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
	b.emitted = text.Newest(append(b.emitted, emitted{fact: fact, batch: batch}), maxEmitted)
}

// progress removes and returns what is proven to have reached the model by a call of a hook. The end of a
// batch during which something was emitted proves nothing.
func (b *box) progress(at hook.Point) (reached []Fact) {
	switch at {
	case hook.PointText, hook.PointBeforeTool, hook.PointAfterBatch, hook.PointStop: // the model has answered again
	default:
		return nil
	}
	var open []emitted
	for _, e := range b.emitted {
		if e.batch && (at == hook.PointAfterBatch || at == hook.PointBeforeTool) {
			e.batch = at == hook.PointBeforeTool
			open = append(open, e)
			continue
		}
		e.fact.State = sessionevents.DeliveryAcked
		reached = append(reached, Fact{b.run, e.fact})
	}
	b.emitted = open
	return reached
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

// Denial is what an agent received before a tool ran: that it did not run and why, or what it would
// destroy.
type Denial struct {
	Session  string
	Detector string // detector that made the finding
	Text     string // the finding's message, in the words of an interrupt
	Begins   string // alternatively, how an interrupt about the same act begins, "" for none
	Channel  string // channel of the reply
	Refused  bool   // the tool did not run
}

// denied returns the denial with the content of an interrupt, nil if there is none.
func (b *box) denied(i *sessionevents.InterruptFired) *Denial {
	at := slices.IndexFunc(b.denials, func(d Denial) bool {
		return d.Detector == i.Detector && (i.Message == d.Text || strings.HasPrefix(i.Message, d.Text+" (Seen ") ||
			d.Begins != "" && strings.HasPrefix(i.Message, d.Begins+" "))
	})
	if at < 0 {
		return nil
	}
	return &b.denials[at]
}

// heard holds what a session and its person receive from its subagents, each once. Unlike an interrupt it
// does not use any budget; what is pending when the process ends appears only in the report.
type heard struct {
	waiting []string
	said    []string // the latest ones
}

// add records a note, unless it was recorded; the handle is shown with it.
func (h *heard) add(note, handle string) {
	if slices.Contains(h.said, note) {
		return
	}
	h.said = text.Newest(append(h.said, note), maxHeard)
	h.waiting = text.Newest(append(h.waiting, note+handle), maxHeard)
}

// urgent reports whether the parent of a subagent is notified of an interrupt: from urgency 4.0, or
// whenever it is escalated.
func urgent(i *sessionevents.InterruptFired) bool {
	return i.Urgency >= heardFrom || strings.HasSuffix(i.UrgencyLabel, "-ESCALATE")
}
