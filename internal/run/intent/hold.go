package intent

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Pause is the question without a default that the run waits for, and why it is
// paused; "" where it waits for none (PL-33).
func (s *State) Pause() (question, why string) {
	r := s.waiting()
	if r == nil || r.Default != "" {
		return "", ""
	}
	return r.ID, r.pause()
}

// Asking reports whether the run has a question that nobody has answered yet.
func (s *State) Asking() bool { return s.waiting() != nil }

func (r *Request) pause() string {
	return fmt.Sprintf("The run is paused until an operator answers: %s. There is no default.", r.choice())
}

// hold changes the answers to the gate next_phase. The council's challengers may
// still be spawned.
func (d *decision) hold(r *Request) {
	for _, c := range d.verdict.Conclusions() {
		gate, is := c.Data.(*runevents.GateDecided)
		if !is || gate.Gate != runevents.GateNextPhase || gate.Decision == runevents.DecisionDeny || gate.Decision == runevents.DecisionHold {
			continue
		}
		gate.Decision, gate.Rule, gate.WhoDecides = runevents.DecisionHold, "PL-33", runevents.DecidedByOperator
		gate.Why = r.pause()
		gate.Options = r.options()
		gate.Evidence = append(gate.Evidence, runevents.Reference{Event: r.Event})
	}
}
