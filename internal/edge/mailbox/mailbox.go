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

// Fact is what became of an interrupt, and the run of its session, "" for none.
type Fact struct {
	Run string
	sessionevents.InterruptDelivery
}

// Mailbox is safe for concurrent use.
type Mailbox struct {
	mu       sync.Mutex
	boxes    map[string]*list.Element // of *box
	recent   *list.List
	control  *control.Projection
	before   *control.Projection      // the states when reading had to start over
	mutes    map[string][]budget.Mute // of groups, for their sessions to come
	waiters  map[*waiter]bool
	caught   bool   // what was there at the beginning has been read
	outcomes []Fact // to be recorded
	dropped  int

	// Edited is called for each turn that was evaluated, with the files that its session
	// edited; nil for nobody. It must not call the mailbox.
	Edited func(session string, files []string)
	// Allowed is called where a person lets a denied call of a session run once (GD-11), with
	// the denial's word and when that was; nil for nobody. It must not call the mailbox.
	Allowed func(session, word, by string, at time.Time)
}

// New returns an empty mailbox; [Mailbox.Run] fills it.
func New() *Mailbox {
	m := &Mailbox{control: &control.Projection{}, before: &control.Projection{}}
	m.reset()
	return m
}

// reset forgets everything, before the streams are read from their beginning. What
// halted holds until all is read again: a lost broker lets nobody go on.
func (m *Mailbox) reset() {
	if m.caught {
		m.before = m.control
	}
	m.mutes = map[string][]budget.Mute{}
	m.boxes, m.recent = map[string]*list.Element{}, list.New()
	m.control = &control.Projection{}
	m.waiters, m.caught, m.outcomes = map[*waiter]bool{}, false, nil
}

// Ready reports whether what was there at the beginning has been read. Nothing is
// said before: it may have been said already.
func (m *Mailbox) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.caught
}

// Dropped is how many interrupts were never said because a session had too many
// waiting, or too many sessions waited.
func (m *Mailbox) Dropped() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dropped
}

// Next is the oldest interrupt that waits for a session, nil if none does. It
// stays until [Mailbox.Emitted] or a fact about it takes it out.
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

// Emitted notes that an interrupt was put before its agent; batch says that the
// other tools of its batch still run. It is false if somebody was faster.
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

// Progress says that a hook of the session was called: what was emitted before
// has reached the model, which went on. The facts of these are returned, once.
// The end of a batch behind one of whose tools something was said proves nothing.
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

// Settled returns, once, the interrupts that grew too old to be said, and those that
// a denial said already.
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

// box is the session's box, a new one with the mutes of its group if need be; the
// least used one goes.
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

// Evaluated reports whether a turn of a session was evaluated, so that it is not new.
func (m *Mailbox) Evaluated(session string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.known(session)
	return b != nil && b.turn > 0
}
