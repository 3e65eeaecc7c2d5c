package readmodel

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// endings are the ends of a signal that does not fire (DP-18).
var endings = map[events.Type]string{
	sessionevents.TypeSignalLogged: "logged", sessionevents.TypeSignalSuppressed: "suppressed", sessionevents.TypeSignalSelfCorrected: "self_corrected",
	sessionevents.TypeSignalExpired: "expired", sessionevents.TypeSignalCoalesced: "coalesced", sessionevents.TypeSignalUnsent: "unsent",
}

const (
	endingPending = "pending"
	endingQueued  = "queued"
	endingFired   = "fired"
)

// findings folds what was found in sessions: signals, interrupts, what the guard and a model said, and what
// became of each.
type findings struct{ *batch }

// detected keeps a signal; one with a known id is the same again (EV-2).
func (b findings) detected(ev events.Event, d *sessionevents.Signal) error {
	s, err := b.session(ev, d.Session)
	if err != nil || d.ID == "" {
		return err
	}
	if _, known, err := b.standing(s.id, d.ID); err != nil || known {
		return err
	}
	return b.insertSignal(s, d)
}

func (b findings) insertSignal(s *session, d *sessionevents.Signal) error {
	var path string
	var line int
	for _, e := range d.Evidence {
		if e.Path != "" {
			path, line = short(e.Path), e.Line
			break
		}
	}
	subject, message := short(d.Subject), short(d.Message)
	size := rowSize(d.ID, subject, message, path)
	err := b.run(`INSERT INTO signals VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		s.id, d.ID, b.position.Sequence, d.Turn, b.dayNow(), short(d.Detector), short(string(d.Class)), subject, message, path, line,
		int(d.Urgency), d.ReworkCost, d.Confidence, endingPending, 0, "", "", size, sessionreport.Capped(d))
	if err != nil {
		return fmt.Errorf("write signal %s: %w", d.ID, err)
	}
	s.signals++
	b.grow(s, size)
	b.count(b.dayNow(), kindDetector, short(d.Detector), "signals", 1)
	return nil
}

// standing is how a signal stands, and on which day and by which detector it
// was detected.
type standing struct{ ending, day, detector string }

func (b findings) standing(session, id string) (at standing, known bool, err error) {
	err = b.scan("SELECT ending, day, detector FROM signals WHERE session = ? AND id = ?", []any{session, id}, &at.ending, &at.day, &at.detector)
	if errors.Is(err, sql.ErrNoRows) {
		return at, false, nil
	}
	if err != nil {
		return at, false, fmt.Errorf("read signal %s: %w", id, err)
	}
	return at, true, nil
}

func (b findings) disposed(ev events.Event, d *sessionevents.Disposition) error {
	s, err := b.session(ev, d.Session)
	if err != nil {
		return err
	}
	return b.endSignal(s, outcome{
		signal: d.Signal, detector: d.Detector, ending: endings[ev.Type], turn: d.Turn, reason: d.Reason, urgency: d.Urgency, into: d.Into,
	})
}

func (b findings) queued(ev events.Event, d *sessionevents.InterruptQueued) error {
	s, err := b.session(ev, d.Session)
	if err != nil {
		return err
	}
	return b.endSignal(s, outcome{
		signal: d.Signal, detector: d.Detector, ending: endingQueued, turn: d.Turn, reason: string(d.Reason), urgency: d.Urgency,
	})
}

// outcome is the state of a signal after a decision.
type outcome struct {
	signal, detector, ending, reason, into string
	turn                                   int
	urgency                                sessionevents.Urgency
}

// endSignal writes how a signal stands. One whose detection was not seen is
// still kept, with what the decision says of it; its end counts once (DP-18).
func (b findings) endSignal(s *session, o outcome) error {
	at, known, err := b.standing(s.id, o.signal)
	if err != nil || o.signal == "" || o.ending == "" {
		return err
	}
	if !known {
		unseen := &sessionevents.Signal{ID: o.signal, Turn: o.turn, Detector: o.detector, Urgency: o.urgency}
		if err := b.insertSignal(s, unseen); err != nil {
			return err
		}
		at = standing{endingPending, b.dayNow(), short(o.detector)}
	}
	if ended(at.ending) {
		b.count(at.day, kindDetector, at.detector, at.ending, -1)
	}
	if ended(o.ending) {
		b.count(at.day, kindDetector, at.detector, o.ending, 1)
	}
	err = b.run("UPDATE signals SET ending = ?, end_turn = ?, reason = ?, urgency = ?, carried_by = ? WHERE session = ? AND id = ?",
		o.ending, o.turn, short(o.reason), int(o.urgency), o.into, s.id, o.signal)
	if err != nil {
		return fmt.Errorf("write the end of signal %s: %w", o.signal, err)
	}
	return nil
}

func ended(ending string) bool { return ending != endingPending && ending != endingQueued }
