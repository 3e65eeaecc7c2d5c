package scenario

import (
	"strconv"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// beginning is the time of the first input; each further one is a second later.
var beginning = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// Inputs returns the events of a script as a publisher would send them, one for each
// step; opened precedes them and is nil if the script has none.
func (s *Script) Inputs() (opened *events.Event, steps []events.Event) {
	inputs := 0
	input := func(kind events.Type, subject string, data any, at time.Duration) events.Event {
		inputs++
		if at == 0 {
			at = time.Duration(inputs) * time.Second
		}
		return events.Event{
			ID: "input-" + strconv.Itoa(inputs), Source: "/conformance", Type: kind, Subject: subject, Time: beginning.Add(at), Data: data,
		}
	}
	if s.Opened != nil {
		if s.Opened.Session == "" {
			s.Opened.Session = DefaultSession
		}
		e := input(sessionevents.TypeSessionOpened, s.Opened.Session, s.Opened, 0)
		opened = &e
	}
	for i := range s.Steps {
		step := &s.Steps[i]
		kind, data := step.Type, step.Data
		if step.Turn != nil {
			kind, data = sessionevents.TypeTurnRaw, any(step.Turn)
		}
		e := input(kind, step.subject(data), data, step.At)
		if step.Late {
			e.Time = e.Time.Add(-time.Minute)
		}
		steps = append(steps, e)
	}
	return opened, steps
}

// subject returns the session or run that an input event is about.
func (s *Step) subject(data any) string {
	switch d := data.(type) {
	case *sessionevents.Turn:
		return d.Session
	case *sessionevents.SessionOpened:
		return d.Session
	case *sessionevents.SessionClosed:
		return d.Session
	}
	if d, known := events.Lookup(s.Type); known && d.RunEvent {
		return s.Run
	}
	return DefaultSession
}
