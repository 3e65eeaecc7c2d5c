package pipeline

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Policies for a partial handover (PL-2).
const (
	partialEscalate  = "escalate"
	partialRetryOnce = "retry_once"
)

var handoverOptions = []runevents.Option{
	{ID: "retry", Text: "Run the phase again", Effect: "The phase that lacks its handover starts once more; its gate is open."},
	{ID: "approve", Text: "Go on without the handover", Effect: "The next phase starts and is told what it lacks.", Tradeoff: "What is missing has to be found out again, or is missed."},
	{ID: "stop", Text: "Stop the run", Effect: "Nothing more starts."},
}

// answer is the answer of a gate, and whether it repeats completed work.
type answer struct {
	runevents.GateDecided
	repeats bool
}

// nextPhase is the gate of that name: the question whether a phase may begin (PL-2, PL-10). Asking it changes no state.
type nextPhase struct {
	*Context
	of             string // name of the phase
	cycle, attempt int
}

// answer decides by the handover of the phase before.
func (b nextPhase) answer() answer {
	run, phase := b.run, b.of
	last := run.Last
	if lost := run.lost(phase); lost != nil {
		last = lost
	}
	switch {
	case run.Unsaved != nil && run.Unsaved.Phase == phase && phase != "":
		return b.allow(fmt.Sprintf("Phase %s runs again: its context could not be kept.", short(phase)))
	case run.Unsaved != nil:
		return b.deny("PL-10", fmt.Sprintf("%s could not be kept (%s): the next phase would work without it.", run.Unsaved.context(), run.Unsaved.Why), run.Unsaved.Event)
	case b.restarts():
		a := b.deny("PL-10", fmt.Sprintf("Phase %s was completed before the run was resumed; its handover is restored, it need not run again.", short(phase)), run.Resumed.Event)
		a.repeats = true
		a.WhoDecides, a.Options = runevents.DecidedByScaffoldwatch, nil // the next one may begin
		return a
	case last == nil:
		return b.allow("No phase has handed anything over yet.")
	case last.Phase == phase && last.Quality != runevents.HandoverFull:
		return b.allow(fmt.Sprintf("Phase %s runs again: it handed over %s.", short(phase), last.Lacks))
	case last.Quality == runevents.HandoverFull:
		return b.allow(fmt.Sprintf("Phase %s handed over what it owes.", short(last.Phase)))
	case last.Waived != "":
		return b.warn(fmt.Sprintf("Phase %s handed over %s; %s let the run go on. %s", short(last.Phase), last.Lacks, last.Waived, advice), last.Event)
	case !b.blocks(last):
		return b.warn(fmt.Sprintf("Phase %s handed over %s. %s", short(last.Phase), last.Lacks, advice), last.Event)
	case !b.stops(last):
		a := b.deny("PL-2", fmt.Sprintf("Phase %s handed over %s: run it once more before the next one.", short(last.Phase), last.Lacks), last.Event)
		a.WhoDecides, a.Options = runevents.DecidedByScaffoldwatch, a.Options[:1]
		return a
	default:
		return b.deny("PL-2", fmt.Sprintf("Phase %s handed over %s.", short(last.Phase), last.Lacks), last.Event)
	}
}

// advice is for the agent that continues with a partial handover, so that the chain
// stays traceable (PL-3).
const advice = "Take what you know of it as incomplete, check before you build on it, and say in your own handover where context was missing."

// blocks reports whether the next phase has to wait.
func (c *Context) blocks(h *Handed) bool {
	return h.Quality == runevents.HandoverFallback || h.Quality == runevents.HandoverPartial && c.onPartial() != "proceed"
}

// stops reports whether only a person can continue the run.
func (c *Context) stops(h *Handed) bool {
	switch h.Quality {
	case runevents.HandoverFallback:
		return true
	case runevents.HandoverPartial:
		return c.onPartial() == partialEscalate || c.onPartial() == partialRetryOnce && h.Tries > 1
	}
	return false
}

// onPartial returns the trigger's policy, or else the default.
func (c *Context) onPartial() string {
	switch p := c.run.OnPartial; p {
	case partialEscalate, partialRetryOnce, "proceed":
		return p
	}
	return c.config.Handover.OnPartial
}

// handoverWaived is PL-2: an operator approves continuing.
var handoverWaived = Rule{ID: "PL-2", On: run.Types(runevents.TypePlanApproved), Run: run.With(func(c *Context, d *runevents.PlanApproved) {
	if c.ByOperator() {
		c.waive(d.By)
	}
})}

// waivedByAct is PL-2 by operator.act.
var waivedByAct = Rule{ID: "PL-2", On: run.Types(runevents.TypeOperatorAct), Run: run.With(func(c *Context, d *runevents.OperatorAct) {
	if d.Act == runevents.ActApprove {
		c.waive(d.By)
	}
})}

// waive continues the run on the decision of a person.
func (c *Context) waive(by string) {
	if by == "" {
		by = "a person"
	}
	c.run.Unsaved = nil
	if last := c.run.Last; last != nil && c.blocks(last) {
		last.Waived = short(by)
	}
	for i := range c.run.Open {
		c.run.Open[i].Denied = false
	}
}

func (b nextPhase) decided(decision runevents.GateDecision, why string, before ...string) answer {
	return answer{GateDecided: runevents.GateDecided{
		Gate: runevents.GateNextPhase, Decision: decision, Rule: "PL-2", Why: why, WhoDecides: runevents.DecidedByScaffoldwatch,
		Phase: short(b.of), Asked: b.Event.ID, Evidence: b.evidence(before...),
	}}
}

func (b nextPhase) allow(why string) answer {
	return b.decided(runevents.DecisionAllow, why)
}

func (b nextPhase) warn(why, before string) answer {
	return b.decided(runevents.DecisionAllowWithWarning, why, before)
}

func (b nextPhase) deny(rule, why, before string) answer {
	a := b.decided(runevents.DecisionDeny, why, before)
	a.Rule, a.WhoDecides, a.Options = rule, runevents.DecidedByOperator, slices.Clone(handoverOptions)
	return a
}

// askedAhead adapts a rule about a gate that is asked ahead (gate.requested): the
// same question, but nothing changes.
func askedAhead(gate runevents.Gate, answer func(*Context, *runevents.GateRequested)) func(*Context) {
	return run.With(func(c *Context, d *runevents.GateRequested) {
		if d.Gate == gate {
			answer(c, d)
		}
	})
}

// nextPhaseAsked is PL-2 ahead.
var nextPhaseAsked = Rule{ID: "PL-2", On: run.Types(runevents.TypeGateRequested), Run: askedAhead(runevents.GateNextPhase, func(c *Context, d *runevents.GateRequested) {
	a := nextPhase{Context: c, of: short(d.Phase)}.answer()
	a.Ahead = true
	c.Gate(a.GateDecided)
})}

// spawnAsked is PL-20 ahead.
var spawnAsked = Rule{ID: "PL-20", On: run.Types(runevents.TypeGateRequested), Run: askedAhead(runevents.GateSpawn, func(c *Context, d *runevents.GateRequested) {
	c.spawnAhead(d.Agent)
})}

// mergeAskedAhead is PL-41 ahead.
var mergeAskedAhead = Rule{ID: "PL-41", On: run.Types(runevents.TypeGateRequested), Run: askedAhead(runevents.GateMerge, func(c *Context, d *runevents.GateRequested) {
	c.mergeGate(d.Wave, true)
})}
