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
	caught   bool   // what is decided is followed
	outcomes []Fact // waiting to be recorded
	dropped  int
	lifted   []string // acts that were passed to Allowed

	// partly means that the mailbox is given what is decided from now on, and reads what was before for the
	// sessions that are opened.
	partly   bool
	record   record
	followed uint64 // the last event that was applied
	opening  map[string]*opening
	since    []entry // applied while something is being opened

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

// reset forgets everything before the streams are read again. Halts stay in force until what they are about
// is read again: losing the broker lets nobody continue.
func (m *Mailbox) reset() {
	if m.caught {
		m.before = m.control
	}
	m.mutes = map[string][]budget.Mute{}
	m.boxes, m.recent = map[string]*list.Element{}, list.New()
	m.control = &control.Projection{}
	m.waiters, m.caught, m.outcomes = map[*waiter]bool{}, false, nil
	m.record, m.followed, m.opening, m.since = nil, 0, map[string]*opening{}, nil
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

// at returns a session's box, nil if there is none.
func (m *Mailbox) at(session string) *box {
	if e := m.boxes[session]; e != nil {
		return e.Value.(*box)
	}
	return nil
}

// known returns the box of a session of which anything is known.
func (m *Mailbox) known(session string) *box {
	b := m.at(session)
	if b == nil || b.blank {
		return nil
	}
	m.recent.MoveToFront(m.boxes[session])
	return b
}

// isNew reports whether an event at a sequence is to be folded into a box.
func (m *Mailbox) isNew(b *box, at uint64) bool {
	return !m.partly || b != nil && b.opened && at > b.through
}

// existing returns the box of a session into which an event at a sequence is to be folded, nil for none.
func (m *Mailbox) existing(session string, at uint64) *box {
	b := m.known(session)
	if b == nil || !m.isNew(b, at) {
		return nil
	}
	b.through = at
	return b
}

// target is [Mailbox.existing] for an event that begins a box. Where the mailbox reads only what is opened,
// it returns nil for any other session: the event is read once that is opened.
func (m *Mailbox) target(session, group string, at uint64) *box {
	if !m.partly {
		return m.box(session, group)
	}
	b := m.at(session)
	if b == nil || !m.isNew(b, at) {
		return nil
	}
	if b.blank && !m.opened(group) {
		m.remove(m.boxes[session]) // to be opened again, with the mutes of its group
		return nil
	}
	b = m.box(session, group)
	b.through = at
	return b
}

// box returns the session's box, if necessary a new one with the mutes of its group; the least recently
// used one is dropped.
func (m *Mailbox) box(session, group string) *box {
	b := m.at(session)
	if b == nil {
		b = &box{id: session, blank: true}
		m.put(b)
	}
	m.recent.MoveToFront(m.boxes[session])
	if b.blank {
		b.group, b.mutes, b.blank = group, m.mutes[group], false
	}
	return b
}

// put adds a box, in place of the one that is there.
func (m *Mailbox) put(b *box) {
	if at := m.boxes[b.id]; at != nil {
		m.recent.Remove(at)
	}
	m.boxes[b.id] = m.recent.PushFront(b)
	if m.recent.Len() > maxSessions {
		oldest := m.recent.Back()
		if !m.partly { // otherwise it is read again when it is opened
			m.dropped += len(oldest.Value.(*box).waiting)
		}
		m.remove(oldest)
	}
}

func (m *Mailbox) remove(at *list.Element) {
	id := at.Value.(*box).id
	delete(m.boxes, id)
	if m.partly {
		delete(m.mutes, id)
	}
	m.recent.Remove(at)
}
