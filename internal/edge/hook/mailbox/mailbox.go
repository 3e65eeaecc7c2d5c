package mailbox

import (
	"container/list"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Fact is the outcome of an interrupt, and the run of its session, "" for none.
type Fact struct {
	Run string
	sessionevents.InterruptDelivery
}

// Mailbox holds what is pending. It is safe for concurrent use.
type Mailbox struct {
	mu       sync.Mutex
	boxes    map[string]*list.Element // of *box
	recent   *list.List
	control  *control.Projection
	before   *control.Projection      // the states when reading had to start over
	mutes    map[string][]budget.Mute // mutes of groups, for their future sessions
	waiters  map[*waiter]bool
	caught   bool   // what existed at the start has been read
	outcomes []Fact // waiting to be recorded
	dropped  int

	// Edited, if set, is called for each evaluated turn with the files that its session edited. It must not
	// call the mailbox.
	Edited func(session string, files []string)
	// Allowed, if set, is called when a person lets a denied call of a session run once (GD-11), with the
	// denial's word and the time. It must not call the mailbox.
	Allowed func(session, word, by string, at time.Time)
}

// New returns an empty mailbox; [Mailbox.Run] fills it.
func New() *Mailbox {
	m := &Mailbox{control: &control.Projection{}, before: &control.Projection{}}
	m.reset()
	return m
}

// reset forgets everything before the streams are read from the start. Halts stay in force until everything
// is read again: losing the broker lets nobody continue.
func (m *Mailbox) reset() {
	if m.caught {
		m.before = m.control
	}
	m.mutes = map[string][]budget.Mute{}
	m.boxes, m.recent = map[string]*list.Element{}, list.New()
	m.control = &control.Projection{}
	m.waiters, m.caught, m.outcomes = map[*waiter]bool{}, false, nil
}

// Ready reports whether everything that existed at the start has been read. Nothing is emitted before that:
// it may have been emitted already.
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
	return m.dropped
}

// Next returns a session's oldest pending interrupt, nil if there is none. It stays until [Mailbox.Emitted]
// or a fact about it removes it.
func (m *Mailbox) Next(session string) *sessionevents.InterruptFired {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.caught {
		return nil
	}
	if b := m.known(session); b != nil && len(b.waiting) > 0 {
		return b.waiting[0]
	}
	return nil
}

// Emitted records that an interrupt was emitted; batch means that other tools of the same batch still run.
// It returns false if another instance was faster.
func (m *Mailbox) Emitted(fact sessionevents.InterruptDelivery, batch bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.known(fact.Session)
	if b == nil || b.waits(fact.Interrupt) < 0 {
		return false
	}
	b.told(&sessionevents.InterruptDelivery{Interrupt: fact.Interrupt, State: sessionevents.DeliveryHeeded})
	b.emit(fact, batch)
	return true
}

// Progress records that a hook of the session was called, which shows that earlier emissions have reached
// the model. It returns the facts of these, once. The end of a batch during which something was emitted
// proves nothing.
func (m *Mailbox) Progress(session string, at hook.Point) []Fact {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.known(session)
	if b == nil || !proves(at) {
		return nil
	}
	var reached []Fact
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

// proves reports whether a hook shows that the model has answered again.
func proves(at hook.Point) bool {
	switch at {
	case hook.PointText, hook.PointBeforeTool, hook.PointAfterBatch, hook.PointStop:
		return true
	}
	return false
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

func (m *Mailbox) known(session string) *box {
	at := m.boxes[session]
	if at == nil {
		return nil
	}
	m.recent.MoveToFront(at)
	return at.Value.(*box)
}

// box returns the session's box, if necessary a new one with the mutes of its group; the least recently
// used one is dropped.
func (m *Mailbox) box(session, group string) *box {
	if b := m.known(session); b != nil {
		return b
	}
	b := &box{id: session, group: group, mutes: m.mutes[group]}
	m.boxes[session] = m.recent.PushFront(b)
	if m.recent.Len() > maxSessions {
		oldest := m.recent.Back()
		m.dropped += len(oldest.Value.(*box).waiting)
		m.remove(oldest)
	}
	return b
}

func (m *Mailbox) remove(at *list.Element) {
	delete(m.boxes, at.Value.(*box).id)
	m.recent.Remove(at)
}

// Evaluated reports whether any turn of a session was evaluated, in which case it is not new.
func (m *Mailbox) Evaluated(session string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.known(session)
	return b != nil && b.turn > 0
}
