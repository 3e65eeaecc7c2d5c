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
		m.mu.Lock()
		run = m.boxes.runOf(session, parent)
		m.mu.Unlock()
		m.openAll(ctx, run)
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
		known, b := m.caught && m.boxes.opened(session), m.boxes.known(session)
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

// openings are the sessions and runs whose past is being read, and what it takes to read one.
type openings struct {
	record   record // nil while nothing can be read
	followed uint64 // the last event that was applied
	pending  map[string]*opening
	since    []entry // applied while something is being opened
}

// applied records that an event was applied.
func (o *openings) applied(e events.Event, at uint64) {
	o.followed = max(o.followed, at)
	if len(o.pending) > 0 {
		o.since = append(o.since, entry{e, at})
	}
}

// end removes an opening, and reports whether it still counted; since is what was applied meanwhile.
func (o *openings) end(id string, ended *opening) (since []entry, counted bool) {
	if o.pending[id] != ended {
		return nil, false
	}
	since = o.since
	if delete(o.pending, id); len(o.pending) == 0 {
		o.since = nil
	}
	return since, true
}

// begin starts to read the past of a session or run; it returns nil if that is done or cannot be done now.
func (m *Mailbox) begin(id string) *opening {
	if m.openings.record == nil || m.boxes.opened(id) {
		return nil
	}
	if o := m.openings.pending[id]; o != nil {
		return o
	}
	o := &opening{from: m.openings.followed, done: make(chan struct{})}
	m.openings.pending[id] = o
	go m.open(id, o, m.openings.record)
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
				go func() { // what it edited before; what is unknown then counts as nobody's
					ctx, cancel := context.WithTimeout(context.Background(), openPatience)
					defer cancel()
					_ = record.Turns(ctx, id, through, m.edited)
				}()
			}
			return
		}
		select {
		case <-time.After(lagPause):
		case <-ctx.Done():
		}
		if err != nil || ctx.Err() != nil {
			m.mu.Lock()
			m.openings.end(id, o)
			m.mu.Unlock()
			return
		}
	}
}

// adopt folds in the past of a session or run, and what came while it was read. It returns false if reading
// has started over meanwhile.
func (m *Mailbox) adopt(id string, o *opening, list []entry, through uint64) bool {
	var past decided
	past.clear()
	for _, e := range list {
		past.fold(e.Event, 0)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	since, counted := m.openings.end(id, o)
	if !counted {
		return false
	}
	m.takeOver(id, &past, through)
	for _, e := range list {
		switch d := e.Data.(type) {
		case *runevents.ControlChanged:
			m.changed(e.Event, e.at)
		case *runevents.ContentPurged:
			m.forgetControl(id)
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

// takeOver adopts what the past of a session or run says of it.
func (d *decided) takeOver(id string, past *decided, through uint64) {
	b := past.boxes.at(id)
	if b == nil {
		b = &box{id: id, group: id, blank: true}
	}
	b.opened, b.through = true, through
	if old := d.boxes.at(id); old != nil { // what happened here while it was not opened
		b.denials, b.heard = old.denials, old.heard
		if b.blank && !old.blank {
			b.blank, b.mutes = false, past.boxes.mutes[id]
		}
	}
	d.boxes.put(b)
	if d.boxes.mutes[id] = past.boxes.mutes[id]; len(d.boxes.mutes[id]) == 0 {
		delete(d.boxes.mutes, id)
	}
	d.boxes.dropped += past.boxes.dropped
	for _, f := range past.outcomes {
		if f.Session == id {
			d.outcomes.add(f)
		}
	}
}
