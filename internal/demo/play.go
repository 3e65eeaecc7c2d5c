package demo

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Play is the whole fleet: concurrent sessions and runs in the order of events.
type Play struct {
	Events []events.Event
	open   map[string]bool // sessions, and the last event of each run
}

// NewPlay returns the play, timed from start.
func NewPlay(start time.Time) (*Play, error) {
	sessions, err := Sessions(start)
	if err != nil {
		return nil, err
	}
	runs, err := Runs(start)
	if err != nil {
		return nil, err
	}
	p := &Play{open: map[string]bool{}}
	for _, list := range sessions {
		p.Events = append(p.Events, list...)
		p.open[list[0].Subject] = true
	}
	p.Add(runs)
	return p, nil
}

// Expect adds sessions that are played elsewhere: the play is not over before they are closed.
func (p *Play) Expect(sessions ...string) {
	for _, id := range sessions {
		p.open[id] = true
	}
}

// Over records a decision and reports whether everything has been decided: each session is closed, and the
// last event of each run is evaluated.
func (p *Play) Over(decided events.Event) bool {
	switch d := decided.Data.(type) {
	case *sessionevents.SessionClosed:
		delete(p.open, d.Session)
	case *runevents.RunEvaluated:
		delete(p.open, d.Event)
	}
	return len(p.open) == 0
}
