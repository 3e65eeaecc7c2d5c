package opinion

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Asker builds the questions that are due from what was said and decided, in the order recorded: for
// whoever has all of a history at hand.
type Asker struct {
	config  *Config
	due     *Due
	records map[string]*Record
}

// NewAsker begins before the first event.
func NewAsker(c *Config) *Asker {
	return &Asker{config: c, due: NewDue(c, allSessions), records: map[string]*Record{}}
}

// allSessions is more than one history holds.
const allSessions = 1 << 20

// Said takes an event of ingest.
func (a *Asker) Said(e events.Event) {
	switch d := e.Data.(type) {
	case *sessionevents.SessionOpened:
		a.record(d.Session).Take(e)
	case *sessionevents.TurnSegmented:
		a.record(d.Session).Take(e)
	}
}

// Decided takes an event of the dispatcher and returns the questions that are due at once.
func (a *Asker) Decided(e events.Event) []*Question {
	switch d := e.Data.(type) {
	case *sessionevents.Signal:
		a.record(d.Session).Take(e)
	case *sessionevents.TurnEvaluated:
		a.record(d.Session).Take(e)
	}
	return a.build(a.due.Take(e))
}

// Settled returns the questions that are due once all that a turn led to was taken.
func (a *Asker) Settled() []*Question { return a.build(a.due.Settled()) }

// About is the question about a signal as the record is now; nil for one that is not known.
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

// Build makes the question of a wish; nil where the record does not hold what it is about.
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
