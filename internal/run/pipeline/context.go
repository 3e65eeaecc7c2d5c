package pipeline

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Context is an event on its way through the rules.
type Context struct {
	*run.Context
	config *Config
	state  *State
	run    *Run

	// answer is that of the gate next_phase, for a phase that begins.
	answer answer
	// phase is the phase that ends, and handover what it hands over; nil for any
	// other event.
	phase    Phase
	handover *handover
	// unsound is what is wrong with the context of the agent that is spawned; nil
	// where nobody declares any.
	unsound *isolated
}

// Rule is one rule about pipelines.
type Rule = run.Rule[*Context]

// Decide applies the rules to an event: it folds it into the state and adds what
// the rules conclude.
func (c *Config) Decide(s *State, event *run.Context) {
	if event.RunEvent && s.Run == nil {
		s.Run = &Run{}
	}
	if len(layerRules.On(event.Event.Type)) > 0 && s.concerns(event) {
		layerRules.Run(&Context{Context: event, config: c, state: s, run: s.Run})
	}
}

// concerns reports whether an event can mean anything: turns, which are most
// traffic, do only in a pipeline.
func (s *State) concerns(event *run.Context) bool {
	switch event.Event.Type {
	case sessionevents.TypeTurnEvaluated:
		return s.Run != nil && s.Run.On
	case sessionevents.TypeSignalDetected, events.TypeTimerExpired:
		return true
	}
	return s.Run != nil
}

// judgement begins a finding about the event at hand.
func (c *Context) judgement(code, rule, what string, arguments ...any) runevents.Judgement {
	return runevents.Judgement{Code: code, Rule: rule, What: fmt.Sprintf(what, arguments...), Evidence: c.evidence()}
}

// evidence is the event at hand, with others before it.
func (c *Context) evidence(earlier ...string) []runevents.Reference {
	out := make([]runevents.Reference, 0, 1+len(earlier))
	for _, id := range earlier {
		if id != "" && id != c.Event.ID {
			out = append(out, runevents.Reference{Event: id})
		}
	}
	return append(out, runevents.Reference{Event: c.Event.ID})
}

func (c *Context) violation(j runevents.Judgement) { c.Violation(runevents.ViolationDetected(j)) }
func (c *Context) warning(j runevents.Judgement)   { c.Warning(runevents.WarningIssued(j)) }
