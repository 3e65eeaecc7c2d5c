package mailbox

import (
	"context"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// entry is an event of DECISIONS with its sequence.
type entry struct {
	events.Event
	at uint64
}

// record reads what DECISIONS holds of a session or run.
type record interface {
	// About returns, in order, what is to be folded, and the sequence up to which that is everything.
	About(ctx context.Context, id string) (list []entry, through uint64, err error)
	// Turns calls evaluated with the turns of a session up to a sequence.
	Turns(ctx context.Context, id string, through uint64, evaluated func(*sessionevents.TurnEvaluated)) error
}

// opening is a session or run whose past is being read.
type opening struct {
	from uint64 // the last event that was applied when it began
	done chan struct{}
}

const (
	// openPatience is how long reading the past of one session may take before it is tried with the next
	// hook.
	openPatience = 10 * time.Second
	lagPause     = 20 * time.Millisecond // before a copy that lags behind is asked again
)

// Open reads what is recorded of a session, the one that it is a subagent of, and its run ("" for none),
// unless that is done. It returns when ctx ends; reading then goes on, and until it is done nothing is said
// to the session.
func (m *Mailbox) Open(ctx context.Context, session, parent, run string) {
	m.openAll(ctx, session, parent, run)
	if run == "" {
		m.openAll(ctx, m.runOf(session, parent))
	}
}

// beginPause is the time between looks at a mailbox that does not follow the decisions yet.
const beginPause = 50 * time.Millisecond

// Begins reports whether a session is new: none of its turns was evaluated. It waits until that is known;
// where ctx ends before, it returns false.
func (m *Mailbox) Begins(ctx context.Context, session string) bool {
	for {
		m.Open(ctx, session, "", "")
		m.mu.Lock()
		known, b := m.caught && m.opened(session), m.known(session)
		m.mu.Unlock()
		if known {
			return b == nil || b.turn == 0
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(beginPause):
		}
	}
}

// runOf returns the run that one of some sessions is known to belong to.
func (m *Mailbox) runOf(sessions ...string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range sessions {
		if b := m.known(id); b != nil && b.run != "" {
			return b.run
		}
	}
	return ""
}

func (m *Mailbox) openAll(ctx context.Context, ids ...string) {
	var waiting []*opening
	m.mu.Lock()
	for _, id := range ids {
		if o := m.begin(id); o != nil && !slices.Contains(waiting, o) {
			waiting = append(waiting, o)
		}
	}
	m.mu.Unlock()
	for _, o := range waiting {
		select {
		case <-o.done:
		case <-ctx.Done():
			return
		}
	}
}

// opened reports whether what is recorded of some ids is folded in; "" counts as such.
func (m *Mailbox) opened(ids ...string) bool {
	return !m.partly || !slices.ContainsFunc(ids, func(id string) bool {
		b := m.at(id)
		return id != "" && (b == nil || !b.opened)
	})
}

// begin starts to read the past of a session or run; it returns nil if that is done or cannot be done now.
func (m *Mailbox) begin(id string) *opening {
	if m.record == nil || m.opened(id) {
		return nil
	}
	if o := m.opening[id]; o != nil {
		return o
	}
	o := &opening{from: m.followed, done: make(chan struct{})}
	m.opening[id] = o
	go m.open(id, o, m.record)
	return o
}

// open reads the past of a session or run. A copy of the stream that lags is asked again.
func (m *Mailbox) open(id string, o *opening, record record) {
	defer close(o.done)
	ctx, cancel := context.WithTimeout(context.Background(), openPatience)
	defer cancel()
	for {
		list, through, err := record.About(ctx, id)
		if err == nil && through >= o.from {
			if m.adopt(id, o, list, through) && m.Edited != nil {
				go m.recall(id, record, through)
			}
			return
		}
		select {
		case <-time.After(lagPause):
		case <-ctx.Done():
		}
		if err != nil || ctx.Err() != nil {
			m.mu.Lock()
			m.ended(id, o)
			m.mu.Unlock()
			return
		}
	}
}

// ended removes an opening, and reports whether it still counted.
func (m *Mailbox) ended(id string, o *opening) bool {
	if m.opening[id] != o {
		return false
	}
	if delete(m.opening, id); len(m.opening) == 0 {
		m.since = nil
	}
	return true
}

// adopt folds in the past of a session or run, and what came while it was read. It returns false if reading
// has started over meanwhile.
func (m *Mailbox) adopt(id string, o *opening, list []entry, through uint64) bool {
	past := New()
	for _, e := range list {
		past.fold(e.Event, 0)
	}
	b := past.at(id)
	if b == nil {
		b = &box{id: id, group: id, blank: true}
	}
	b.opened, b.through = true, through
	m.mu.Lock()
	defer m.mu.Unlock()
	since := m.since
	if !m.ended(id, o) {
		return false
	}
	if old := m.at(id); old != nil { // what happened here while it was not opened
		b.denials, b.heard = old.denials, old.heard
		if b.blank && !old.blank {
			b.blank, b.mutes = false, past.mutes[id]
		}
	}
	m.put(b)
	if m.mutes[id] = past.mutes[id]; len(m.mutes[id]) == 0 {
		delete(m.mutes, id)
	}
	m.dropped += past.dropped
	for _, f := range past.outcomes {
		if f.Session == id {
			m.settle(f)
		}
	}
	for _, e := range list {
		switch d := e.Data.(type) {
		case *runevents.ControlChanged:
			m.changed(e.Event, e.at)
		case *runevents.ContentPurged:
			m.control.Forget(runevents.RunControlKey(id))
			m.control.Forget(runevents.SessionControlKey(id))
		case *runevents.OperatorAct:
			m.allow(e.Event, d)
		}
	}
	for _, e := range since {
		if e.at > through {
			m.fold(e.Event, e.at)
		}
	}
	return true
}

// recall reports which files a session edited in the turns that were evaluated before it was opened.
func (m *Mailbox) recall(id string, record record, through uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), openPatience)
	defer cancel()
	_ = record.Turns(ctx, id, through, m.edited) // what is unknown then counts as nobody's
}
