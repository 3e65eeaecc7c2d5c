package opinion

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Record is what a question about one session is built from: its opening and turns as
// ingest forwarded them, without secrets (SW-7), and the decisions about it. Questions
// are functions of it.
type Record struct {
	Session string
	Opened  *sessionevents.SessionOpened
	Turns   []*sessionevents.TurnSegmented // in order of their numbers
	Signals map[string]*sessionevents.Signal
	Closed  []*sessionevents.TurnEvaluated // in order
	Added   []*sessionevents.Signal        // what models added
}

// NewRecord returns the empty record of a session.
func NewRecord(session string) *Record {
	return &Record{Session: session, Signals: map[string]*sessionevents.Signal{}}
}

// Take adds an event about the session and ignores others.
func (r *Record) Take(e events.Event) {
	switch d := e.Data.(type) {
	case *sessionevents.SessionOpened:
		if d.Session == r.Session && r.Opened == nil {
			r.Opened = d
		}
	case *sessionevents.TurnSegmented:
		if d.Session == r.Session {
			r.insert(d)
		}
	case *sessionevents.Signal:
		if d.Session == r.Session && d.ID != "" {
			r.Signals[d.ID] = d
			if d.ByModel() {
				r.Added = append(r.Added, d)
			}
		}
	case *sessionevents.TurnEvaluated:
		if d.Session == r.Session {
			r.Closed = append(r.Closed, d)
		}
	}
}

// insert adds a turn in order, once.
func (r *Record) insert(t *sessionevents.TurnSegmented) {
	at, found := slices.BinarySearchFunc(r.Turns, t.Turn, func(t *sessionevents.TurnSegmented, n int) int { return t.Turn - n })
	if !found {
		r.Turns = slices.Insert(r.Turns, at, t)
	}
}

// between returns the turns numbered from … to.
func (r *Record) between(from, to int) []*sessionevents.TurnSegmented {
	var out []*sessionevents.TurnSegmented
	for _, t := range r.Turns {
		if t.Turn >= from && t.Turn <= to {
			out = append(out, t)
		}
	}
	return out
}

// message is a message of a person.
type message struct {
	turn int
	text string
}

// said returns a person's messages up to a turn.
func (r *Record) said(to int) []message {
	var out []message
	for _, t := range r.Turns {
		for i := range t.Segments {
			if s := &t.Segments[i]; t.Turn <= to && s.Kind == sessionevents.SegmentUser && strings.TrimSpace(s.Text) != "" {
				out = append(out, message{t.Turn, s.Text})
			}
		}
	}
	return out
}

// task returns the purpose of the session: as its publisher states it, otherwise the
// first message.
func (r *Record) task(messages []message) string {
	if r.Opened != nil && strings.TrimSpace(r.Opened.Task) != "" {
		return r.Opened.Task
	}
	if len(messages) > 0 {
		return messages[0].text
	}
	return ""
}

// agreed returns the constraints, conventions and instructions from files in effect at a
// turn.
func (r *Record) agreed(to int) []string {
	var out []string
	if r.Opened != nil {
		out = append(out, r.Opened.Constraints...)
		for _, c := range r.Opened.Conventions {
			out = append(out, c.Rule)
		}
	}
	for _, t := range r.Turns {
		if t.Turn > to {
			break
		}
		for _, i := range t.Instructions {
			if !slices.Contains(out, i.Text) {
				out = append(out, i.Text)
			}
		}
	}
	return out
}

// Asker builds the questions that are due from the recorded events of ingest and the
// dispatcher, in order, for callers that have a complete history.
type Asker struct {
	config  *Config
	due     *Due
	records map[string]*Record
}

// NewAsker returns an asker before the first event.
func NewAsker(c *Config) *Asker {
	return &Asker{config: c, due: NewDue(c, allSessions), records: map[string]*Record{}}
}

// allSessions is a number of sessions that no history exceeds.
const allSessions = 1 << 20

// Said adds an event of ingest.
func (a *Asker) Said(e events.Event) {
	switch d := e.Data.(type) {
	case *sessionevents.SessionOpened:
		a.record(d.Session).Take(e)
	case *sessionevents.TurnSegmented:
		a.record(d.Session).Take(e)
	}
}

// Decided adds an event of the dispatcher and returns the questions that are due
// immediately.
func (a *Asker) Decided(e events.Event) []*Question {
	switch d := e.Data.(type) {
	case *sessionevents.Signal:
		a.record(d.Session).Take(e)
	case *sessionevents.TurnEvaluated:
		a.record(d.Session).Take(e)
	}
	return a.build(a.due.Take(e))
}

// Settled returns the questions that are due once all results of a turn have been added.
func (a *Asker) Settled() []*Question { return a.build(a.due.Settled()) }

// About returns the question about a signal for the current record; nil for an unknown
// signal.
func (a *Asker) About(session, signal string) *Question {
	r := a.record(session)
	s := r.Signals[signal]
	if s == nil || len(r.Turns) == 0 {
		return nil
	}
	return a.config.About(r, s, r.Turns[len(r.Turns)-1].Turn)
}

func (a *Asker) build(wishes []Wish) (out []*Question) {
	for _, w := range wishes {
		if q := a.config.Build(a.record(w.Session), w); q != nil {
			out = append(out, q)
		}
	}
	return out
}

func (a *Asker) record(session string) *Record {
	r := a.records[session]
	if r == nil {
		r = NewRecord(session)
		a.records[session] = r
	}
	return r
}

// Build returns the question of a wish; nil if the record does not contain its subject.
func (c *Config) Build(r *Record, w Wish) *Question {
	if w.Signal == "" {
		if len(r.between(w.From, w.Turn)) == 0 {
			return nil
		}
		return c.Since(r, w.From, w.Turn)
	}
	s := r.Signals[w.Signal]
	if s == nil || len(r.between(s.Turn, w.Turn)) == 0 {
		return nil
	}
	return c.About(r, s, w.Turn)
}
