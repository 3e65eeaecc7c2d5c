package mailbox

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// types are those that the mailbox reads of DECISIONS.
var types = []events.Type{
	events.TypeInterruptFired, events.TypeInterruptDelivery, events.TypeTurnEvaluated, events.TypeSessionClosed,
	events.TypeWiggumBreak, events.TypeOperatorAct, events.TypeRunResumed, events.TypeCorrectionIssued,
	events.TypeControlChanged,
}

// Apply takes one event of DECISIONS, in stream order.
func (m *Mailbox) Apply(e events.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch d := e.Data.(type) {
	case *events.InterruptFired, *events.CorrectionIssued:
		m.fired(e)
	case *events.InterruptDelivery:
		m.recorded(d)
	case *events.TurnEvaluated:
		b := m.box(d.Session, e.Group())
		b.run, b.turn = d.Run, d.Turn
		m.outdated(b.expire())
		m.evaluated(e.CausationID)
	case *events.SessionClosed:
		m.closed(d.Session)
	case *events.WiggumBreak:
		m.halts.broke(e.ID, d, e.Subject)
	case *events.ControlChanged:
		m.halts.changed(d, e.Subject)
	case *events.OperatorAct:
		switch d.Act {
		case "resume":
			m.halts.resumed(d.Run, d.Session)
		case budget.ActMute, budget.ActUnmute:
			m.muted(e.Group(), d)
		}
	case *events.RunResumed:
		m.halts.resumed(e.Subject, "")
	}
}

// fired keeps an interrupt, or a correction in its form (RW-40), for its session.
func (m *Mailbox) fired(e events.Event) {
	i, ok := events.AsInterrupt(e)
	if !ok {
		return
	}
	b := m.box(i.Session, e.Group())
	b.run = i.Run
	if b.fired(i) != nil {
		m.dropped++
	}
}

// recorded takes a fact about an interrupt. One that is known to have expired
// need not be recorded once more.
func (m *Mailbox) recorded(d *events.InterruptDelivery) {
	if b := m.known(d.Session); b != nil {
		b.told(d)
	}
	m.expired = slices.DeleteFunc(m.expired, func(f Fact) bool { return d.Interrupt != "" && f.Interrupt == d.Interrupt })
}

// closed forgets a session but for its mutes: it may go on, and so do they.
func (m *Mailbox) closed(session string) {
	at := m.boxes[session]
	if at == nil {
		return
	}
	b := at.Value.(*box)
	m.outdated(b.waiting)
	if b.waiting, b.emitted = nil, nil; len(b.mutes) == 0 {
		m.remove(at)
	}
}

// maxExpired bounds what waits to be recorded while no hook is called.
const maxExpired = 1024

// outdated notes interrupts that nobody will be told any more (DP-21).
func (m *Mailbox) outdated(old []*events.InterruptFired) {
	for _, i := range old {
		m.expired = append(m.expired, Fact{i.Run, events.InterruptDelivery{
			Interrupt: i.ID, Session: i.Session, Turn: i.Turn, State: events.DeliveryExpired, By: By,
		}})
	}
	m.expired = m.expired[max(0, len(m.expired)-maxExpired):]
}

// By says in interrupt.delivery that it was the hooks' mailbox.
const By = "scaffoldwatch hook"

// Control takes one value of the bucket CONTROL, nil for a key that is gone.
func (m *Mailbox) Control(key string, value *events.Control) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value == nil {
		delete(m.halts.control, key)
		return
	}
	m.halts.control[key] = *value
}
