package readmodel

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// fired keeps an interrupt, once.
func (b findings) fired(ev events.Event, d *sessionevents.InterruptFired) error {
	s, err := b.session(ev, d.Session)
	if err != nil || d.ID == "" {
		return err
	}
	known, err := b.exists("SELECT 1 FROM interrupts WHERE id = ?", d.ID)
	if err != nil || known {
		return err
	}
	message, reason := short(d.Message), short(d.Reason)
	err = b.run(`INSERT INTO interrupts VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,'',0)`,
		d.ID, s.id, ev.Group(), b.position.Sequence, b.now, b.dayNow(), d.Turn, short(d.Detector), short(string(d.Class)), int(d.Urgency),
		short(d.UrgencyLabel), d.FromQueue, message, reason, len(d.Signals), d.Budget.Before, d.Budget.After)
	if err != nil {
		return fmt.Errorf("write interrupt %s: %w", d.ID, err)
	}
	b.grow(s, rowSize(d.ID, s.id, message, reason))
	s.interrupts++
	b.count(b.dayNow(), kindDetector, short(d.Detector), "interrupts", 1)
	b.countAgent(s, "interrupts", 1)
	b.totals[[2]string{short(d.Detector), endingFired}]++
	for _, id := range d.Signals {
		o := outcome{signal: id, detector: d.Detector, ending: endingFired, turn: d.Turn, urgency: d.Urgency}
		if err := b.endSignal(s, o); err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) exists(query string, args ...any) (bool, error) {
	var found bool
	if err := t.scan("SELECT EXISTS ("+query+")", args, &found); err != nil {
		return false, fmt.Errorf("look it up: %w", err)
	}
	return found, nil
}
