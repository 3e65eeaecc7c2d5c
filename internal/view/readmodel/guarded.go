package readmodel

import (
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// guarded counts what the guard answered before a tool ran, by what the call would have
// done first, else by the kind of the answer (GD-21).
func (b *batch) guarded(ev events.Event, d *sessionevents.GuardDecided) error {
	if _, err := b.session(ev, d.Session); err != nil {
		return err
	}
	act := string(d.Class)
	if len(d.Acts) > 0 {
		act = d.Acts[0].Act
	}
	name, err := b.name(kindPrevented, act)
	if err != nil {
		return err
	}
	b.count(b.dayNow(), kindPrevented, name, string(d.Happened()), 1)
	return nil
}
