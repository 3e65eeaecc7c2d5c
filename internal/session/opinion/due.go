package opinion

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Wish is a question that is due: about a signal, or about what is new in a session.
type Wish struct {
	Session string
	Signal  string // empty for a digest
	From    int    // first turn of a digest
	Turn    int    // last turn to show
}

// Due folds the dispatcher's decisions and determines which questions are due: about
// signals that are waiting when their turn is closed, or that JD-2 withholds; and about
// what is new, at a pause or after a number of turns (AD-2, AD-3).
type Due struct {
	config   *Config
	sessions map[string]*dueSession
	order    []string // of the sessions, the longest silent first
	most     int
}

type dueSession struct {
	turn     int
	digested int                              // last turn that a digest showed
	fresh    map[string]*sessionevents.Signal // detected, neither asked about nor ended
	found    map[string]int                   // of these, models' findings: the last turn when they were found
	asked    map[string]bool
	waiting  map[string]bool // asked about and not ended
	withheld map[string]int  // asked about although JD-2 ended them, with the turn of that
	pause    bool            // the last closed turn is worth a digest
	final    bool            // it ended the response
}

// NewDue returns an empty Due, which keeps at most sessions sessions.
func NewDue(c *Config, sessions int) *Due {
	return &Due{config: c, sessions: map[string]*dueSession{}, most: max(1, sessions)}
}

// Take folds one event of DECISIONS and returns the questions that are due immediately.
// Questions about waiting signals are due once all results of a turn have been taken, see
// [Due.Settled].
func (d *Due) Take(e events.Event) []Wish {
	switch data := e.Data.(type) {
	case *sessionevents.Signal:
		if d.config.Asks(data) {
			if s := d.session(data.Session); !s.asked[data.ID] {
				s.fresh[data.ID] = data
				if data.ByModel() {
					s.found[data.ID] = s.turn
				}
			}
		}
	case *sessionevents.TurnEvaluated:
		d.closed(d.session(data.Session), data)
	case *sessionevents.Disposition:
		return d.ended(data)
	case *sessionevents.InterruptFired:
		s := d.session(data.Session)
		for _, id := range data.Signals {
			s.drop(id)
			delete(s.waiting, id)
		}
	case *sessionevents.OpinionRecorded:
		s := d.session(data.Session)
		s.asked[data.Signal] = true
		s.drop(data.Signal)
		if data.Kind == sessionevents.QuestionDigest {
			s.digested = max(s.digested, data.Turn)
		}
	case *sessionevents.SessionClosed:
		if s := d.session(data.Session); s.turn > 0 {
			s.pause, s.final = true, true
		}
	}
	return nil
}

func (d *Due) closed(s *dueSession, marker *sessionevents.TurnEvaluated) {
	if marker.Turn <= s.turn {
		return
	}
	s.turn = marker.Turn
	s.pause, s.final = marker.Pause.Natural || s.turn-s.digested >= d.config.Digest.EveryTurns, marker.Pause.Why == sessionevents.PauseEndOfResponse
}

// ended handles a signal's end. A signal that JD-2 withheld is asked about although it
// has ended.
func (d *Due) ended(data *sessionevents.Disposition) []Wish {
	s := d.session(data.Session)
	signal := s.fresh[data.Signal]
	s.drop(data.Signal)
	delete(s.waiting, data.Signal)
	if signal == nil || data.Code != sessionevents.CodeReading {
		return nil
	}
	s.asked[data.Signal] = true
	s.withheld[data.Signal] = s.turn
	return []Wish{{Session: data.Session, Signal: data.Signal, Turn: s.turn}}
}

// Settled returns the questions that are due once all results of a turn have been
// taken, in every session: about the signals that are still waiting, in order of their
// turns, and about what is new.
func (d *Due) Settled() (out []Wish) {
	for _, id := range d.order {
		out = append(out, d.SettledIn(id)...)
	}
	return out
}

// SettledIn is Settled for one session, which may be unknown.
func (d *Due) SettledIn(id string) (out []Wish) {
	s := d.sessions[id]
	if s == nil {
		return nil
	}
	var waiting []*sessionevents.Signal
	for _, signal := range s.fresh {
		if signal.Turn <= s.turn && s.followed(signal.ID) {
			waiting = append(waiting, signal)
		}
	}
	slices.SortFunc(waiting, func(a, b *sessionevents.Signal) int {
		return cmp.Or(a.Turn-b.Turn, cmp.Compare(a.ID, b.ID))
	})
	for _, signal := range waiting {
		s.asked[signal.ID], s.waiting[signal.ID] = true, true
		s.drop(signal.ID)
		out = append(out, Wish{Session: id, Signal: signal.ID, Turn: s.turn})
	}
	if fresh := s.turn - s.digested; s.pause && fresh > 0 && (s.final || fresh >= d.config.Digest.LeastTurns) {
		out = append(out, Wish{Session: id, From: s.digested + 1, Turn: s.turn})
		s.digested = s.turn
	}
	s.pause, s.final = false, false
	return out
}

// followed reports whether a turn has followed since a model's finding: it is asked about
// again once the record shows what happened next.
func (s *dueSession) followed(signal string) bool {
	turn, found := s.found[signal]
	return !found || s.turn > turn
}

func (s *dueSession) drop(signal string) {
	delete(s.fresh, signal)
	delete(s.found, signal)
}

// Still reports whether the answer to a question could still have an effect: the signal
// is waiting, or the turn after it is not closed yet (AD-4).
func (d *Due) Still(w Wish) bool {
	s := d.sessions[w.Session]
	if s == nil || w.Signal == "" {
		return s != nil
	}
	if at, withheld := s.withheld[w.Signal]; withheld {
		return at == s.turn
	}
	return s.waiting[w.Signal]
}

// session returns a session, adding it if it is unknown; beyond the limit the longest
// silent one is dropped.
func (d *Due) session(id string) *dueSession {
	s := d.sessions[id]
	if s == nil {
		s = &dueSession{
			fresh: map[string]*sessionevents.Signal{}, found: map[string]int{}, asked: map[string]bool{},
			waiting: map[string]bool{}, withheld: map[string]int{},
		}
		d.sessions[id] = s
	} else {
		d.order = slices.DeleteFunc(d.order, func(o string) bool { return o == id })
	}
	d.order = append(d.order, id)
	if len(d.order) > d.most {
		delete(d.sessions, d.order[0])
		d.order = slices.Delete(d.order, 0, 1)
	}
	return s
}
