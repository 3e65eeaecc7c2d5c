package evaluate

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// watchRun reports what an event shows about its run. The signals precede the event
// itself, so that the dispatcher has them when it closes the event.
func (m *Machine) watchRun(state *State, in step.Input, out *step.Emitter) {
	event := run.NewContext(in)
	m.shadows.Decide(&state.Run, event)
	m.intent.Signal(event)
	for i, c := range event.Conclusions() {
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
