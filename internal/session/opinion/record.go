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
