package mailbox

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// types are those that the mailbox reads of DECISIONS.
var types = []events.Type{
	events.TypeInterruptFired, events.TypeInterruptDelivery, events.TypeTurnEvaluated, events.TypeSessionClosed,
	events.TypeWiggumBreak, events.TypeOperatorAct, events.TypeRunResumed,
}

// Apply takes one event of DECISIONS, in stream order.
func (m *Mailbox) Apply(e events.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch d := e.Data.(type) {
	case *events.InterruptFired:
		b := m.box(d.Session)
		b.run = d.Run
		if b.fired(d) != nil {
			m.dropped++
		}
	case *events.InterruptDelivery:
		if b := m.known(d.Session); b != nil {
			b.told(d)
		}
	case *events.TurnEvaluated:
		b := m.box(d.Session)
		b.run, b.turn = d.Run, d.Turn
		m.outdated(b.expire())
		m.evaluated(e.CausationID)
	case *events.SessionClosed:
		if at := m.boxes[d.Session]; at != nil {
			m.outdated(at.Value.(*box).waiting)
			m.remove(at)
		}
	case *events.WiggumBreak:
		m.halts.broke(e.ID, d, e.Subject)
	case *events.OperatorAct:
		if d.Act == "resume" {
			m.halts.resumed(d.Run, d.Session)
		}
	case *events.RunResumed:
		m.halts.resumed(e.Subject, "")
	}
}

// outdated notes interrupts that nobody will be told any more (DP-21).
func (m *Mailbox) outdated(old []*events.InterruptFired) {
	for _, i := range old {
		m.expired = append(m.expired, Fact{i.Run, events.InterruptDelivery{
			Interrupt: i.ID, Session: i.Session, Turn: i.Turn, State: events.DeliveryExpired, By: By,
		}})
	}
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
