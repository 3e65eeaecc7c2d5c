package intent

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// wait stores the question that the run waits for in the context, for later layers
// (PL-33). Phases are held only while the run waits.
func (s *State) wait(event *run.Context) {
	r := s.waiting()
	event.Asking = r != nil
	if r == nil || r.Default != "" {
		s.Held = nil
		return
	}
	event.Question = &run.Question{ID: r.ID, Why: r.pause()}
}

// gatesHeld is PL-33: it turns an allow of the gate next_phase into a hold while
// the run waits for an answer without a default. It reads the conclusions of
// earlier layers about the same event.
var gatesHeld = Rule{ID: "PL-33", On: run.Types(runevents.TypePhaseStarted, runevents.TypeGateRequested), Run: func(c *Context) {
	if r := c.state.waiting(); r != nil && r.Default == "" {
		c.hold(r)
		c.remember()
	}
}}

func (r *Request) pause() string {
	return fmt.Sprintf("The run is paused until an operator answers: %s. There is no default.", r.choice())
}

// hold changes the answers to the gate next_phase. The council's challengers may
// still be spawned.
func (c *Context) hold(r *Request) {
	for _, one := range c.Conclusions() {
		gate, is := one.Data.(*runevents.GateDecided)
		if !is || gate.Gate != runevents.GateNextPhase || gate.Decision == runevents.DecisionDeny || gate.Decision == runevents.DecisionHold {
			continue
		}
		gate.Decision, gate.Rule, gate.WhoDecides = runevents.DecisionHold, "PL-33", runevents.DecidedByOperator
		gate.Why = r.pause()
		gate.Options = r.options()
		gate.Evidence = append(gate.Evidence, runevents.Reference{Event: r.Event})
	}
}
