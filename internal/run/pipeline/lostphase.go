package pipeline

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// phaseAgentEnded folds whether the agents of a phase succeed (PL-1).
var phaseAgentEnded = Rule{
	ID: "PL-1", Folds: true, On: run.Types(runevents.TypeAgentCompleted),
	Run: run.With(func(c *Context, d *runevents.AgentCompleted) {
		phase := c.run.phaseOf(d.Phase)
		if phase == nil {
			return
		}
		switch d.Outcome {
		case runevents.RunOutcomeSuccess:
			phase.Worked, phase.Failed, phase.Outcome = true, "", ""
		case runevents.RunOutcomeFailure, runevents.RunOutcomeTimeout:
			if !phase.Worked {
				phase.Failed, phase.Outcome = c.Event.ID, d.Outcome
			}
		}
	}),
}

// phaseOf returns the open phase of a name, the only open one where none is named.
func (r *Run) phaseOf(name string) *Phase {
	if name == "" && len(r.Open) == 1 {
		return &r.Open[0]
	}
	if i := slices.IndexFunc(r.Open, func(p Phase) bool { return p.Name == short(name) && name != "" }); i >= 0 {
		return &r.Open[i]
	}
	return nil
}

// lost returns the open phase whose agent failed or timed out and that completed
// nothing, nil if there is none; the phase that begins takes another's place, never
// its own.
func (r *Run) lost(begins string) *Handed {
	for i := range r.Open {
		p := &r.Open[i]
		if p.Failed == "" || p.Denied || p.Name == begins {
			continue
		}
		how := "its agent failed"
		if p.Outcome == runevents.RunOutcomeTimeout {
			how = "its agent timed out"
		}
		return &Handed{
			Phase: p.Name, Workflow: p.Workflow, Contract: p.Contract, Cycle: p.Cycle,
			Quality: runevents.HandoverFallback, Lacks: "nothing: " + how, Tries: 1, Event: p.Failed,
		}
	}
	return nil
}

// phaseLost is PL-1: a phase whose agent failed or timed out hands over nothing, and
// the next one does not begin by itself (PL-2).
var phaseLost = Rule{ID: "PL-1", On: run.Types(runevents.TypePhaseStarted), Run: starting(func(c *Context,
	d *runevents.PhaseStarted,
) {
	h := c.run.lost(short(d.Phase))
	if h == nil {
		return
	}
	c.run.Open = slices.DeleteFunc(c.run.Open, func(p Phase) bool { return p.Name == h.Phase })
	c.run.Last = h
	c.run.Degraded = text.Newest(append(c.run.Degraded, Degradation{
		Phase: h.Phase, Cycle: h.Cycle, Quality: h.Quality,
		Event: h.Event,
	}), c.config.Kept.Phases)
	c.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerPipeline, Issue: "handover/" + string(h.Quality), To: runevents.RecipientUser, Options: handoverOptions,
		Text: fmt.Sprintf("Phase %s handed over %s: the next phase is not let through.", h.Phase, h.Lacks),
	})
})}
