package mailbox

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// types are the event types that the mailbox reads from DECISIONS.
var types = []events.Type{
	sessionevents.TypeInterruptFired, sessionevents.TypeInterruptDelivery, sessionevents.TypeTurnEvaluated, sessionevents.TypeSessionClosed,
	runevents.TypeOperatorAct, runevents.TypeCorrectionIssued, runevents.TypeControlChanged, runevents.TypeContentPurged,
}

// Apply folds one event of DECISIONS, in stream order, into a mailbox that is given all of them.
func (m *Mailbox) Apply(e events.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notice(e)
	m.fold(e, 0)
}

// notice handles what an event means right now, whether its session is opened or not.
func (m *Mailbox) notice(e events.Event) {
	switch d := e.Data.(type) {
	case *sessionevents.InterruptFired, *runevents.CorrectionIssued:
		i, ok := runevents.AsInterrupt(e.ID, e.Group(), d)
		if !ok || !urgent(i) {
			return
		}
		if b := m.known(i.Session); b != nil {
			if said := b.denied(i); said != nil && said.Refused {
				return
			}
		}
		m.hear(i.Session, "was told", i.Message, i.Handle())
	case *sessionevents.TurnEvaluated:
		m.evaluated(e.TraceParent)
		m.edited(d)
	case *runevents.OperatorAct:
		m.allow(e, d)
	}
}

func (m *Mailbox) edited(d *sessionevents.TurnEvaluated) {
	if m.Edited != nil && d.Observed != nil {
		m.Edited(d.Session, d.Observed.FilesEdited)
	}
}

// maxLifted limits the permissions that are remembered as passed on; they hold for minutes.
const maxLifted = 1024

// allow passes a person's permission on, once: it can be read again when its session is opened.
func (m *Mailbox) allow(e events.Event, d *runevents.OperatorAct) {
	if d.Act != runevents.ActAllow || m.Allowed == nil || e.ID != "" && slices.Contains(m.lifted, e.ID) {
		return
	}
	m.lifted = append(m.lifted, e.ID)
	m.lifted = m.lifted[max(0, len(m.lifted)-maxLifted):]
	m.Allowed(d.Session, d.Target, d.By, e.Time)
}

// fold folds an event, at its sequence, into the boxes that do not contain it yet.
func (m *Mailbox) fold(e events.Event, at uint64) {
	switch d := e.Data.(type) {
	case *sessionevents.InterruptFired, *runevents.CorrectionIssued:
		m.fired(e, at)
	case *sessionevents.InterruptDelivery:
		m.recorded(d, e.Group(), at)
	case *sessionevents.TurnEvaluated:
		if b := m.target(d.Session, e.Group(), at); b != nil {
			b.run, b.turn = d.Run, d.Turn
			m.outdated(b.expire())
		}
	case *sessionevents.SessionClosed:
		m.closed(d.Session, at)
	case *runevents.ControlChanged:
		m.changed(e, at)
	case *runevents.ContentPurged:
		m.purged(e.Group(), d.IDs, at)
	case *runevents.OperatorAct:
		if d.Act == runevents.ActMute || d.Act == runevents.ActUnmute {
			m.muted(e.Group(), d, at)
		}
	}
}

// fired stores an interrupt, or a correction in its form (RW-40), for its session.
func (m *Mailbox) fired(e events.Event, at uint64) {
	i, ok := runevents.AsInterrupt(e.ID, e.Group(), e.Data)
	if !ok {
		return
	}
	b := m.target(i.Session, e.Group(), at)
	if b == nil {
		return
	}
	b.run = i.Run
	if i.Turn > b.turn { // the turns before the last one are not read where a session is opened
		b.turn = i.Turn
		m.outdated(b.expire())
	}
	if said := b.denied(i); said != nil && m.caught {
		m.already(b, i, said)
		return
	}
	if b.fired(i) != nil {
		m.dropped++
	}
}

// recorded folds a fact about an interrupt. An interrupt that is already recorded as expired is not
// recorded so again.
func (m *Mailbox) recorded(d *sessionevents.InterruptDelivery, group string, at uint64) {
	if b := m.target(d.Session, group, at); b != nil {
		b.told(d)
	}
	m.outcomes = slices.DeleteFunc(m.outcomes, func(f Fact) bool { return d.Interrupt != "" && f.Interrupt == d.Interrupt })
}

// closed forgets a session except for its mutes: it may be reopened, and they then still apply.
func (m *Mailbox) closed(session string, at uint64) {
	b := m.existing(session, at)
	if b == nil {
		return
	}
	m.outdated(b.waiting)
	if b.waiting, b.emitted = nil, nil; len(b.mutes) == 0 {
		m.remove(m.boxes[session])
	}
}

// purged forgets a group that an operator erases, as every stage does (AU-40): what its sessions were to be
// told, their mutes, and that it was stopped.
func (m *Mailbox) purged(group string, ids []string, at uint64) {
	if !m.partly {
		delete(m.mutes, group)
	}
	for e := m.recent.Front(); e != nil; {
		next := e.Next()
		if b := e.Value.(*box); b.group == group && (m.isNew(b, at) || !b.opened) {
			m.remove(e)
		}
		e = next
	}
	all := append(slices.Clone(ids), group)
	m.outcomes = slices.DeleteFunc(m.outcomes, func(f Fact) bool { return slices.Contains(all, f.Session) })
	for _, id := range all {
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
	if slices.ContainsFunc(m.outcomes, func(q Fact) bool { return q.Interrupt == f.Interrupt && q.State == f.State }) {
		return // its session was opened again
	}
	m.outcomes = text.Newest(append(m.outcomes, f), maxOutcomes)
}

// By names the hooks' mailbox in interrupt.delivery.
const By = "scaffoldwatch hook"
