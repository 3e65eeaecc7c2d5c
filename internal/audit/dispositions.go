package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Dispositions checks that every session-layer signal ends in exactly one of fired, logged, suppressed,
// self_corrected, expired, unsent or coalesced, and waits nowhere longer than it may (DP-18).
type Dispositions struct {
	account  Account
	known    map[string]place    // every signal by id
	open     map[string]*waiting // those without an end
	sessions map[string]*session
	first    int  // ordinal of the first fault
	lossy    bool // an operator acknowledged that messages are lost
	lost     int  // signals that were detected before the last loss
}

// place is a signal's place in the stream, from 1.
type place struct {
	ordinal int
	ended   bool
}

// waiting is a signal without an end.
type waiting struct {
	signal   sessionevents.Signal // without its texts
	ordinal  int
	admitted bool // its turn was closed
	judged   bool // its grace turn was closed: it must have an end, or be queued or watched
	queued   bool
	due      bool // its session was closed
	faulted  bool // already counted as a fault
}

type session struct {
	turn int // the last one closed
	open []*waiting
}

// NewDispositions returns an account for a stream that is read from its start.
func NewDispositions() *Dispositions {
	return &Dispositions{
		account: Account{Ends: map[events.Type]int{}}, known: map[string]place{}, open: map[string]*waiting{}, sessions: map[string]*session{},
	}
}

// Lost records that an acknowledged loss of messages was here in the stream. They may have held the ends of
// earlier signals.
func (d *Dispositions) Lost() { d.lossy, d.lost = true, d.account.Detected }

// Apply folds the next event of DECISIONS.
func (d *Dispositions) Apply(ev events.Event) {
	switch data := ev.Data.(type) {
	case *sessionevents.Signal:
		if data.ID != "" && (data.Layer == sessionevents.LayerSession || data.Layer == "") {
			d.detected(data, cmp.Or(data.Session, ev.Subject))
		}
	case *sessionevents.TurnEvaluated:
		d.closed(data, cmp.Or(data.Session, ev.Subject))
	case *sessionevents.SessionClosed:
		for _, w := range d.session(cmp.Or(data.Session, ev.Subject)).open {
			w.due = true
		}
	case *sessionevents.InterruptQueued:
		if w := d.open[data.Signal]; w != nil {
			w.queued = true
		}
	case *sessionevents.InterruptFired:
		for _, id := range data.Signals {
			d.end(ev.Type, id, fault{session: data.Session, detector: data.Detector, turn: data.Turn})
		}
	case *sessionevents.Disposition:
		d.end(ev.Type, data.Signal, fault{session: data.Session, detector: data.Detector, turn: data.Turn})
		d.joined(ev.Type, data)
	}
}

func (d *Dispositions) session(id string) *session {
	s := d.sessions[id]
	if s == nil {
		s = &session{}
		d.sessions[id] = s
	}
	return s
}

// detected begins a signal; the same id again is the same signal (EV-2).
func (d *Dispositions) detected(s *sessionevents.Signal, session string) {
	if _, ok := d.known[s.ID]; ok {
		return
	}
	d.account.Detected++
	w := &waiting{ordinal: d.account.Detected, signal: sessionevents.Signal{ID: s.ID, Session: session, Detector: s.Detector, Class: s.Class, Turn: s.Turn}}
	d.known[s.ID] = place{ordinal: w.ordinal}
	d.open[s.ID] = w
	in := d.session(session)
	in.open = append(in.open, w)
}

// closed follows the grace turn: a signal is admitted when its turn is closed, and judged when the next one
// is, unless that failed (DP-11, DP-12). A signal that the previous turn left undecided is at fault.
func (d *Dispositions) closed(t *sessionevents.TurnEvaluated, id string) {
	s := d.session(id)
	if t.Turn <= s.turn {
		return
	}
	s.turn = t.Turn
	for _, w := range s.open {
		d.limbo(w)
		switch {
		case w.signal.Turn > t.Turn:
		case !w.admitted:
			w.admitted = true
		case t.Failed == "":
			w.judged = true
		}
	}
}

// limbo records, once, a signal that should have been decided by now.
func (d *Dispositions) limbo(w *waiting) {
	if what := w.wrong(); what != "" && !w.faulted {
		w.faulted = true
		d.missing(w.ordinal, w.fault(what))
	}
}

// wrong returns why a signal may not wait any longer, "" if it may.
func (w *waiting) wrong() string {
	switch {
	case w.due:
		return "has no end although its session was closed"
	case w.judged && !w.queued && !w.watchable():
		return "neither ended nor was queued after its grace turn"
	}
	return ""
}

// watchable reports whether a signal is of a class that may be watched until its session closes (DP-11).
func (w *waiting) watchable() bool {
	switch w.signal.Class {
	case sessionevents.ClassA, sessionevents.ClassB, sessionevents.ClassE:
		return true
	}
	return false
}

func (w *waiting) fault(what string) Fault {
	return Fault{Session: w.signal.Session, Signal: w.signal.ID, Detector: w.signal.Detector, Turn: w.signal.Turn, What: what}
}

// fault describes an end of a signal that is not known or has already ended.
type fault struct {
	session, detector string
	turn              int
}

func (d *Dispositions) end(typ events.Type, id string, about fault) {
	at, known := d.known[id]
	switch {
	case !known:
		d.account.Unknown++
	case at.ended:
		d.fault(at.ordinal, Fault{
			Session: about.session, Signal: id, Detector: about.detector, Turn: about.turn, What: "had already ended and ends again, " + string(typ),
		})
	default:
		d.account.Ends[typ]++
		d.known[id] = place{at.ordinal, true}
		d.leave(id)
	}
}

func (d *Dispositions) leave(id string) {
	w := d.open[id]
	delete(d.open, id)
	in := d.session(w.signal.Session)
	for i, o := range in.open {
		if o == w {
			in.open = append(in.open[:i], in.open[i+1:]...)
			return
		}
	}
}

// joined checks that a coalesced signal names another that carries it on.
func (d *Dispositions) joined(typ events.Type, data *sessionevents.Disposition) {
	if typ != sessionevents.TypeSignalCoalesced {
		return
	}
	at := d.known[data.Signal]
	if _, ok := d.known[data.Into]; at.ordinal > 0 && (!ok && !d.lossy || data.Into == data.Signal) {
		d.fault(at.ordinal, Fault{
			Session: data.Session, Signal: data.Signal, Detector: data.Detector, Turn: data.Turn, What: "was coalesced into a signal that was never detected",
		})
	}
}

// missing counts a signal without an end: as a fault, unless the end may have been in a loss.
func (d *Dispositions) missing(ordinal int, f Fault) {
	if ordinal <= d.lost {
		d.account.Lost++
		return
	}
	d.fault(ordinal, f)
}

// fault counts a fault, and keeps the one of the signal that was detected first.
func (d *Dispositions) fault(ordinal int, f Fault) {
	d.account.Faults++
	if d.account.First == nil || ordinal < d.first {
		d.account.First, d.first = &f, ordinal
	}
}

// Account is the balance of a stream's signals (DP-18).
type Account struct {
	Detected int                 `json:"detected"`
	Ends     map[events.Type]int `json:"ends"`    // signals by the type of the event that ended them
	Waiting  int                 `json:"waiting"` // in sessions that are still open
	// Unknown counts ends of signals that were detected before the stream begins, when it does not begin
	// with the session.
	Unknown int `json:"unknown,omitempty"`
	// Lost counts signals without an end whose end may be in an acknowledged loss.
	Lost int `json:"lost,omitempty"`
	// Faults counts broken invariants; First is the fault of the signal that was detected first.
	Faults int    `json:"faults"`
	First  *Fault `json:"first_fault,omitempty"`
}

// Fault describes a signal that does not have exactly one end.
type Fault struct {
	Session  string `json:"session"`
	Signal   string `json:"signal"`
	Detector string `json:"detector"`
	Turn     int    `json:"turn"`
	What     string `json:"what"`
}

// String returns the signal and its fault.
func (f Fault) String() string {
	return fmt.Sprintf("signal %s (%s, session %s, turn %d) %s", f.Signal, f.Detector, f.Session, f.Turn, f.What)
}

// Balanced reports whether every signal is accounted for: ended and waiting signals add up to all signals,
// and none has a fault.
func (a Account) Balanced() bool {
	sum := a.Waiting + a.Lost
	for _, n := range a.Ends {
		sum += n
	}
	return a.Faults == 0 && sum == a.Detected
}

// String returns the account on one line, the ends sorted by name.
func (a Account) String() string {
	parts := []string{fmt.Sprintf("%d detected", a.Detected)}
	for _, typ := range slices.Sorted(maps.Keys(a.Ends)) {
		parts = append(parts, fmt.Sprintf("%d %s", a.Ends[typ], strings.TrimPrefix(strings.TrimPrefix(string(typ), "signal."), "interrupt.")))
	}
	parts = append(parts, fmt.Sprintf("%d waiting", a.Waiting))
	if a.Unknown > 0 {
		parts = append(parts, fmt.Sprintf("%d ends of signals from before the stream begins", a.Unknown))
	}
	if a.Lost > 0 {
		parts = append(parts, fmt.Sprintf("%d whose end may be in an acknowledged loss", a.Lost))
	}
	return strings.Join(parts, ", ")
}

// Result returns the account so far. Call it after any complete batch of the stream; the fold may continue
// afterwards.
func (d *Dispositions) Result() Account {
	end := *d
	end.account.Ends = maps.Clone(d.account.Ends)
	ids := slices.SortedFunc(maps.Keys(d.open), func(a, b string) int { return d.open[a].ordinal - d.open[b].ordinal })
	for _, id := range ids {
		switch w := d.open[id]; {
		case w.faulted:
		case w.wrong() != "":
			end.missing(w.ordinal, w.fault(w.wrong()))
		default:
			end.account.Waiting++
		}
	}
	return end.account
}
