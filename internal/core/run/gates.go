package run

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Decisions of a gate that let nobody through, and those that do.
const (
	gateDeny = "deny"
	gateHold = "hold"
)

var gatePasses = []string{"allow", "allow_with_warning"}

const haltRule = "RW-33"

// stands is RW-33: no gate lets anybody through while the run stands still, whatever
// the layer that was asked says of it: a halted run is denied, a paused one held. A
// run that waits for an answer is the business of the layer that asks (PL-33).
func (t *settlement) stands(gate *events.GateDecided) {
	now := &t.state.Control
	if t.observe || !slices.Contains(gatePasses, gate.Decision) {
		return
	}
	switch now.State {
	case events.ControlHalted:
		gate.Decision = gateDeny
	case events.ControlPaused:
		gate.Decision = gateHold
	default:
		return
	}
	gate.Rule, gate.WhoDecides = haltRule, "operator"
	gate.Why = fmt.Sprintf("The run is %s: %s Only an operator lets it go on.", now.State, sentence(now.Why))
}
