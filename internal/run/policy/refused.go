package policy

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// asksFor maps acts to the gates they ask. A refused gate.requested is answered only by
// its run.evaluated, since the gate it meant is unknown.
var asksFor = map[string]runevents.Gate{
	runevents.TypePhaseStarted: runevents.GateNextPhase, runevents.TypeAgentSpawned: runevents.GateSpawn, runevents.TypeWaveStarted: runevents.GateLaunch,
	runevents.TypeWaveMergeRequested: runevents.GateMerge, runevents.TypeWorktreeCreated: runevents.GateWorktrees,
}

// refused is EV-3a: a gate is denied if its request was refused, and so are all gates of
// the run while one of its facts is unknown.
var refused = Rule{ID: "EV-3a", On: run.Types(sessionevents.TypeInputRefused), Run: run.With(func(c *Context, data *sessionevents.InputRefused) {
	if !data.RunEvent() || !c.state.Begin(c.Event.Subject) {
		return
	}
	if slices.Contains(c.config.Refused.Facts, data.EventType) {
		c.state.Refuse(settle.Refused{Event: data.Event, Type: data.EventType, Why: data.Reason}, c.config.Kept.Events)
	}
	if gate, asks := asksFor[data.EventType]; asks {
		c.Gate(runevents.GateDecided{
			Gate: gate, Decision: runevents.DecisionDeny, Rule: "EV-3a", WhoDecides: runevents.DecidedByScaffoldwatch, Asked: data.Event,
			Why: "The question was refused: " + settle.Sentence(data.Reason) + " Ask again, corrected.", Evidence: []runevents.Reference{{Event: c.Event.ID}},
		})
	}
})}

// accepted folds that the run is known, and that a fact of its type is known again.
var accepted = Rule{ID: "EV-3a", Folds: true, On: run.EveryRunEvent(), Run: func(c *Context) {
	if c.Event.Type != runevents.TypeGateRequested {
		c.state.Known = true
	}
	c.state.Accept(string(c.Event.Type))
	if c.Event.Type == runevents.TypePlanApproved && c.ByOperator() {
		c.state.Refused = nil
	}
}}

// approvedUnknown is EV-3a: an operator lets the run continue without the refused facts.
var approvedUnknown = Rule{ID: "EV-3a", Folds: true, On: run.Types(runevents.TypeOperatorAct), Run: run.With(func(c *Context, data *runevents.OperatorAct) {
	if data.Act == runevents.ActApprove && (data.Run == "" || data.Run == c.state.Run) {
		c.state.Refused = nil
	}
})}

// checkFacts returns a name in the configuration that is not a type of run event.
func checkFacts(names []string) string {
	for _, name := range names {
		if d, known := events.Lookup(events.Type(name)); !known || !d.RunEvent {
			return name
		}
	}
	return ""
}
