package settle

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const haltRule = "RW-33"

// hold is RW-33: no gate opens while the run is stopped, whatever the layer decided: it
// is denied while the run is halted and held while it is paused. The layer that asks a
// question holds the gates of the run itself (PL-33).
func (t *settlement) hold(gate *runevents.GateDecided) {
	now := &t.state.Control
	if t.ObserveOnly || !gate.Passes() {
		return
	}
	switch now.State {
	case runevents.ControlHalted:
		gate.Decision = runevents.DecisionDeny
	case runevents.ControlPaused:
		gate.Decision = runevents.DecisionHold
	default:
		t.doubt(gate)
		return
	}
	t.context.Executed(haltRule)
	gate.Rule, gate.WhoDecides = haltRule, runevents.DecidedByOperator
	gate.Why = fmt.Sprintf("The run is %s: %s Only an operator lets it go on.", now.State, Sentence(now.Why))
}
