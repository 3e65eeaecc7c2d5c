package intent

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// wait adds what the run waits for to the context, for the layers that run after
// this one (PL-33).
func (s *State) wait(event *run.Context) {
	r := s.waiting()
	event.Asking = r != nil
	if r != nil && r.Default == "" {
		event.Question = &run.Question{ID: r.ID, Why: r.pause()}
	}
}

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
