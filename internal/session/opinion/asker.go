package opinion

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

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
