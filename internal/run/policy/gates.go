package policy

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const haltRule = "RW-33"

// stands is RW-33: no gate lets anybody through while the run stands still, whatever
// the layer that was asked says of it: a halted run is denied, a paused one held. A
// run that waits for an answer is the business of the layer that asks (PL-33).
func (t *settlement) stands(gate *runevents.GateDecided) {
	now := &t.state.Control
	if t.observe || !gate.Passes() {
		return
	}
	switch now.State {
	case runevents.ControlHalted:
		gate.Decision = runevents.DecisionDeny
	case runevents.ControlPaused:
		gate.Decision = runevents.DecisionHold
	default:
		return
	}
	gate.Rule, gate.WhoDecides = haltRule, runevents.DecidedByOperator
	gate.Why = fmt.Sprintf("The run is %s: %s Only an operator lets it go on.", now.State, sentence(now.Why))
}
