package runreport

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/intent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/pipeline"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/wave"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// replay are the states of the layers, folded again from what DECISIONS holds:
// the layers answer what only they can tell. What they conclude is dropped; it
// stands in DECISIONS as it was concluded.
type replay struct {
	rounds
	settings *Settings
	wave     wave.State
	pipeline pipeline.State
	intent   intent.State
}

// event folds what the layers heard when it was new. Timers are not in
// DECISIONS; none of what is asked of the layers depends on them.
func (r *replay) event(ev events.Event) {
	if !heard(ev) {
		return
	}
	event := run.NewContext(step.Input{Event: ev}, nil)
	r.resolved = r.run.Cycles.Resolved
	if event.RunEvent {
		r.settings.run.Decide(&r.run, event)
	}
	r.settings.wave.Decide(&r.wave, event)
	r.settings.pipeline.Decide(&r.pipeline, event)
	r.settings.intent.Decide(&r.intent, event)
}

// heard reports an event that a layer decides by: a fact, not a decision.
func heard(ev events.Event) bool {
	switch ev.Type {
	case sessionevents.TypeSignalDetected, sessionevents.TypeTurnEvaluated, sessionevents.TypeSessionOpened, sessionevents.TypeSessionClosed, runevents.TypeOperatorAct:
		return true
	}
	described, known := events.Lookup(ev.Type)
	return known && described.RunEvent
}

// calibration is the log of intent, nil where the run has none (PL-39).
func (r *replay) calibration() *intent.Log {
	log := r.intent.Calibration()
	if len(log.Entries) == 0 && len(log.Misread) == 0 && log.Tally == (intent.Tally{}) {
		return nil
	}
	return &log
}

// handovers are what the pipeline's fold can tell (PL-3, PL-8, PL-20, PL-40).
func (r *replay) handovers() Pipeline {
	p := Pipeline{
		Degradations: orEmpty(r.pipeline.Degradations()), Leftovers: orEmpty(r.pipeline.Leftovers()),
		Evaluations: orEmpty(r.pipeline.Evaluations()), Scopes: orEmpty(r.pipeline.ScopeChecks()),
	}
	for _, d := range p.Degradations {
		p.FindingsCited += d.Findings
		p.FixLoops += d.FixLoops
	}
	return p
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
