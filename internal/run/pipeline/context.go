package pipeline

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Context is an event as the layer's rules see it.
type Context struct {
	report
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

// Decide applies the rules to an event: it folds the event into the state and adds
// the conclusions of the rules.
func (c *Config) Decide(s *State, event *run.Context) {
	if event.RunEvent && s.Run == nil {
		s.Run = &Run{}
	}
	if len(layerRules.On(event.Event.Type)) > 0 && s.concerns(event) {
		layerRules.Run(&Context{report: report{event}, config: c, state: s, run: s.Run})
	}
}

// concerns reports whether the layer needs an event: turns, which are most of the
// traffic, only matter in a pipeline.
func (s *State) concerns(event *run.Context) bool {
	switch event.Event.Type {
	case sessionevents.TypeTurnEvaluated:
		return s.Run != nil && s.Run.On
	case sessionevents.TypeSignalDetected, events.TypeTimerExpired:
		return true
	}
	return s.Run != nil
}

// report is an event with the ways in which the layer reports on it.
type report struct{ *run.Context }

// judgement starts a finding about the current event.
func (r report) judgement(code, rule, what string, arguments ...any) runevents.Judgement {
	return runevents.Judgement{Code: code, Rule: rule, What: fmt.Sprintf(what, arguments...), Evidence: r.evidence()}
}

// evidence returns the current event after the given ones.
func (r report) evidence(earlier ...string) []runevents.Reference {
	out := make([]runevents.Reference, 0, 1+len(earlier))
	for _, id := range earlier {
		if id != "" && id != r.Event.ID {
			out = append(out, runevents.Reference{Event: id})
		}
	}
	return append(out, runevents.Reference{Event: r.Event.ID})
}

func (r report) violation(j runevents.Judgement) { r.Violation(runevents.ViolationDetected(j)) }
func (r report) warning(j runevents.Judgement)   { r.Warning(runevents.WarningIssued(j)) }
