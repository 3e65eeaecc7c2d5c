// Package mailbox holds what is pending for each agent: interrupts that fired and were not yet emitted, and
// whether it must stop. It follows DECISIONS, keeps nothing that is not recorded there, and reads what was
// decided before about a session when its first hook is called (ADR 67). Each emission is recorded as
// interrupt.delivery, so that nothing is emitted twice (DP-20, DP-21, EV-8).
package mailbox

import (
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Mailbox holds what is pending. It is safe for concurrent use.
type Mailbox struct {
	mu sync.Mutex
	decided
	before   *control.Projection // the states when reading had to start over
	openings openings
	waits    waits
	Observer
}

// Observer receives what others keep of the decisions.
type Observer struct {
	// Edited, if set, is called for each evaluated turn with the files that its session edited. It must not
	// call the mailbox.
	Edited func(session string, files []string)
	// Allowed, if set, is called when a person lets a denied call of a session run once (GD-11), with the
	// denial's word and the time. It must not call the mailbox.
	Allowed func(session, word, by string, at time.Time)
	lifted  []string // acts that were passed to Allowed
}

func (o *Observer) edited(d *sessionevents.TurnEvaluated) {
	if o.Edited != nil && d.Observed != nil {
		o.Edited(d.Session, d.Observed.FilesEdited)
	}
}

// maxLifted limits the permissions that are remembered as passed on; they hold for minutes.
const maxLifted = 1024

// allow passes a person's permission on, once: it can be read again when its session is opened.
func (o *Observer) allow(e events.Event, d *runevents.OperatorAct) {
	if d.Act != runevents.ActAllow || o.Allowed == nil || e.ID != "" && slices.Contains(o.lifted, e.ID) {
		return
	}
	o.lifted = text.Newest(append(o.lifted, e.ID), maxLifted)
	o.Allowed(d.Session, d.Target, d.By, e.Time)
}

// New returns an empty mailbox; [Mailbox.Run] fills it.
func New() *Mailbox {
	m := &Mailbox{before: &control.Projection{}}
	m.reset()
	return m
}

// reset forgets everything before the streams are read again. Halts stay in force until what they are
// about is read again: losing the broker lets nobody continue.
func (m *Mailbox) reset() {
	if m.caught {
		m.before = m.control
	}
	m.clear()
	m.waits.reset()
	m.openings = openings{pending: map[string]*opening{}}
}

// CatchUp records that what is decided is followed from here on.
func (m *Mailbox) CatchUp() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.caught = true
}

// Ready reports whether what is decided is followed. Nothing is emitted before that: it may have been
// emitted already.
func (m *Mailbox) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.caught
}

// Dropped returns how many interrupts were never emitted because there were too many for a session, or too
// many sessions.
func (m *Mailbox) Dropped() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.boxes.dropped
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
		if b := m.boxes.known(i.Session); b != nil {
			if said := b.denied(i); said != nil && said.Refused {
				return
			}
		}
		m.hear(i.Session, "was told", i.Message, i.Handle())
	case *sessionevents.TurnEvaluated:
		m.waits.evaluated(e.TraceParent)
		m.edited(d)
	case *runevents.OperatorAct:
		m.allow(e, d)
	}
}

// Heard returns, once, what a session is to receive from its subagents.
func (m *Mailbox) Heard(session string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.boxes.known(session)
	if b == nil {
		return nil
	}
	waiting := b.heard.waiting
	b.heard.waiting = nil
	return waiting
}

// Denied records a denial: the interrupt that follows from the same finding is not emitted as well (DP-24).
func (m *Mailbox) Denied(d Denial) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.boxes.own(d.Session)
	b.denials = text.Newest(append(b.denials, d), maxDenials)
	if d.Refused {
		m.hear(d.Session, "was denied a call", d.Text, "")
	}
}

// Next returns a session's oldest pending interrupt, nil if there is none. It stays until [Mailbox.Emitted]
// or a fact about it removes it.
func (m *Mailbox) Next(session string) *sessionevents.InterruptFired {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.caught {
		return nil
	}
	if b := m.boxes.known(session); b != nil && len(b.waiting) > 0 {
		return b.waiting[0]
	}
	return nil
}

// Emitted records that an interrupt was emitted; batch means that other tools of the same batch still run.
// It returns false if another instance was faster.
func (m *Mailbox) Emitted(fact sessionevents.InterruptDelivery, batch bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.boxes.known(fact.Session)
	if b == nil || b.waits(fact.Interrupt) < 0 {
		return false
	}
	b.told(&sessionevents.InterruptDelivery{Interrupt: fact.Interrupt, State: sessionevents.DeliveryHeeded})
	b.emit(fact, batch)
	return true
}

// Progress records that a hook of the session was called, which shows that earlier emissions have reached
// the model. It returns the facts of these, once.
func (m *Mailbox) Progress(session string, at hook.Point) []Fact {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.boxes.known(session)
	if b == nil {
		return nil
	}
	return b.progress(at)
}

// Settled returns, once, the interrupts that became too old to be emitted, and those already covered by a
// denial.
func (m *Mailbox) Settled() []Fact {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.caught {
		return nil
	}
	settled := m.outcomes
	m.outcomes = nil
	return settled
}

// Mutes returns the mutes that people put in force for a session, and the number of its current turn.
// Before the session's first turn, those of its group apply: of its run ("" for none), or of the session
// that it is a subagent of.
func (m *Mailbox) Mutes(session, parent, run string) (mutes []budget.Mute, turn int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.boxes.known(session); b != nil && (b.opened || !m.boxes.partly) {
		return b.mutes, b.turn + 1
	}
	for _, group := range []string{run, parent, session} {
		if group != "" {
			return m.boxes.mutes[group], 1
		}
	}
	return nil, 1
}

// State returns the strictest control state of a session, the session that it is a subagent of ("" for
// none), and its run.
func (m *Mailbox) State(session, parent, run string) runevents.Control {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := []string{runevents.SessionControlKey(session)}
	if parent != "" && parent != session {
		keys = append(keys, runevents.SessionControlKey(parent))
	}
	if run == "" {
		run = m.boxes.runOf(session, parent)
	}
	if run != "" {
		keys = append(keys, runevents.RunControlKey(run))
	}
	now := m.control.Of(keys...)
	if !m.caught || !m.boxes.opened(session, parent, run) {
		now = control.Strictest(now, m.before.Of(keys...))
	}
	return now
}

// Keep stores a state from the bucket CONTROL, for keys on which DECISIONS has nothing (EV-8).
func (m *Mailbox) Keep(key string, state runevents.Control) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.control.Keep(key, state)
}
