package mailbox

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// types are the event types that the mailbox reads from DECISIONS.
var types = []events.Type{
	sessionevents.TypeInterruptFired, sessionevents.TypeInterruptDelivery, sessionevents.TypeTurnEvaluated, sessionevents.TypeSessionClosed,
	runevents.TypeOperatorAct, runevents.TypeCorrectionIssued, runevents.TypeControlChanged, runevents.TypeContentPurged,
}

// Apply folds one event of DECISIONS, in stream order.
func (m *Mailbox) Apply(e events.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch d := e.Data.(type) {
	case *sessionevents.InterruptFired, *runevents.CorrectionIssued:
		m.fired(e)
	case *sessionevents.InterruptDelivery:
		m.recorded(d)
	case *sessionevents.TurnEvaluated:
		b := m.box(d.Session, e.Group())
		b.run, b.turn = d.Run, d.Turn
		m.outdated(b.expire())
		m.evaluated(e.TraceParent)
		if m.Edited != nil && d.Observed != nil {
			m.Edited(d.Session, d.Observed.FilesEdited)
		}
	case *sessionevents.SessionClosed:
		m.closed(d.Session)
	case *runevents.ControlChanged:
		m.changed(e)
	case *runevents.ContentPurged:
		m.purged(e.Group(), d.IDs)
	case *runevents.OperatorAct:
		switch {
		case d.Act == runevents.ActMute || d.Act == runevents.ActUnmute:
			m.muted(e.Group(), d)
		case d.Act == runevents.ActAllow && m.Allowed != nil:
			m.Allowed(d.Session, d.Target, d.By, e.Time)
		}
	}
}

// fired stores an interrupt, or a correction in its form (RW-40), for its session.
func (m *Mailbox) fired(e events.Event) {
	i, ok := runevents.AsInterrupt(e.ID, e.Group(), e.Data)
	if !ok {
		return
	}
	b := m.box(i.Session, e.Group())
	b.run = i.Run
	said := b.denied(i)
	if urgent(i) && (said == nil || !said.Refused) {
		m.hear(i.Session, "was told", i.Message, i.Handle())
	}
	if said != nil && m.caught {
		m.already(b, i, said)
		return
	}
	if b.fired(i) != nil {
		m.dropped++
	}
}

// recorded folds a fact about an interrupt. An interrupt that is already recorded as expired is not
// recorded so again.
func (m *Mailbox) recorded(d *sessionevents.InterruptDelivery) {
	if b := m.known(d.Session); b != nil {
		b.told(d)
	}
	m.outcomes = slices.DeleteFunc(m.outcomes, func(f Fact) bool { return d.Interrupt != "" && f.Interrupt == d.Interrupt })
}

// closed forgets a session except for its mutes: it may be reopened, and they then still apply.
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

// purged forgets a group that an operator erases, as every stage does (AU-40): what its sessions were to be
// told, their mutes, and that it was stopped.
func (m *Mailbox) purged(group string, ids []string) {
	delete(m.mutes, group)
	for at := m.recent.Front(); at != nil; {
		next := at.Next()
		if at.Value.(*box).group == group {
			m.remove(at)
		}
		at = next
	}
	for _, id := range append(slices.Clone(ids), group) {
		m.control.Forget(runevents.RunControlKey(id))
		m.control.Forget(runevents.SessionControlKey(id))
	}
}

// maxOutcomes limits the facts that wait to be recorded while no hook is called.
const maxOutcomes = 1024

// outdated records interrupts that will no longer be emitted (DP-21).
func (m *Mailbox) outdated(old []*sessionevents.InterruptFired) {
	for _, i := range old {
		m.settle(Fact{i.Run, sessionevents.InterruptDelivery{
			Interrupt: i.ID, Session: i.Session, Turn: i.Turn, State: sessionevents.DeliveryExpired, By: By,
		}})
	}
}

// settle queues a fact to be recorded with the next hook.
func (m *Mailbox) settle(f Fact) {
	m.outcomes = append(m.outcomes, f)
	m.outcomes = m.outcomes[max(0, len(m.outcomes)-maxOutcomes):]
}

// By names the hooks' mailbox in interrupt.delivery.
const By = "scaffoldwatch hook"
