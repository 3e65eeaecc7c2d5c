package runreport

import (
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// coverage is the fold behind Coverage.
type coverage struct {
	Coverage
	pending map[string]bool // run events that run.evaluated has not closed yet
	claims  map[events.Type]*Claim
}

func newCoverage() coverage {
	return coverage{pending: map[string]bool{}, claims: map[events.Type]*Claim{}}
}

// maxPending bounds what is awaited; a stage closes each event before the next.
const maxPending = 1000

func (c *coverage) heard(ev events.Event) {
	c.Events++
	if len(c.pending) < maxPending {
		c.pending[ev.ID] = true
	}
}

// claim counts a fact that came without its credential (EV-10).
func (c *coverage) claim(ev events.Event) {
	one := c.claims[ev.Type]
	if one == nil {
		one = &Claim{Type: ev.Type, First: ev.ID}
		c.claims[ev.Type] = one
	}
	one.Count++
}

// refused counts an event that was refused at the door. One about the run is closed
// by its run.evaluated, which names it; one about a session is a turn nobody watched.
func (f *Fold) refused(ev events.Event, d *sessionevents.InputRefused) {
	switch {
	case d.RunEvent():
		f.coverage.Events++
	case d.Turn():
		f.coverage.Turns++
		f.coverage.TurnsFailed++
		if s := f.sessions.of(f, named(d.Session, ev)); s != nil {
			s.Turns++
			s.TurnsFailed++
		}
		f.moment(ev, "turn refused", passage(d.Reason))
	default:
		f.moment(ev, "refused: "+mentioned(d.EventType), passage(d.Reason))
	}
}

// evaluated closes a run event: everything it led to comes before this event.
func (f *Fold) evaluated(ev events.Event, d *runevents.RunEvaluated) {
	c := &f.coverage
	f.standing.State, f.standing.Break = d.State, d.Break
	known := c.pending[d.Event]
	delete(c.pending, d.Event)
	switch {
	case d.Failed != "":
		f.ran = true
		f.moment(ev, "not evaluated: "+d.EventType, d.Failed)
		if f.room(len(c.Failed)) {
			c.Failed = append(c.Failed, FailedEvent{Event: d.Event, Type: events.Type(d.EventType), Why: f.settings.short(d.Failed)})
		}
	case known:
		c.Evaluated++
	}
}

// covered is the finished account.
func (f *Fold) covered() Coverage {
	c := f.coverage.Coverage
	c.Pending, c.LeftOut = len(f.coverage.pending), f.cut+f.remedies.LeftOut
	c.Failed = slices.Clone(orEmpty(c.Failed))
	c.Claims = []Claim{}
	for _, kind := range slices.Sorted(maps.Keys(f.coverage.claims)) {
		c.Claims = append(c.Claims, *f.coverage.claims[kind])
	}
	return c
}
