package evaluate

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// watchRun tells what an event shows of its run. What it shows stands before the
// event itself, so that the dispatcher closes the event knowing it.
func (m *Machine) watchRun(state *State, in step.Input, out *step.Emitter) {
	var v verdict.Verdict
	m.shadows.Observe(&state.Run, in, &v)
	m.intent.Observe(in, &v)
	for i, c := range v.Conclusions() {
		subject := c.Subject
		if subject == "" {
			subject = in.Event.Subject
		}
		if signal, is := c.Data.(*sessionevents.Signal); is {
			if signal.Run == "" {
				signal.Run = subject
			}
			signal.ID = events.SignalID(signal.Run, signal.Turn, signal.Detector, signal.Subject, fmt.Sprint(in.Event.ID, ":", i))
		}
		out.Emit(c.Type, subject, c.Data)
	}
}
