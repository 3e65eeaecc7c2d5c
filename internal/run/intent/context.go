package intent

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Context is an event with the layer's configuration and state.
type Context struct {
	*run.Context
	config *Config
	state  *State

	// before is the checkpoint that a new one replaces; structure is the level of the new
	// one.
	before    *Checkpoint
	structure *structure
	// edited is a source file that the event shows as edited, "" if none; session is the
	// session that edited it.
	edited, session string
	// working is set if the implementation starts or continues.
	working bool
	// outcome is the outcome of the council that was held.
	outcome *Outcome
}

// Rule is one rule about intent.
type Rule = run.Rule[*Context]

// Decide folds an event into the state, adds the conclusions of the rules, and sets the
// question that the run waits for.
func (c *Config) Decide(s *State, event *run.Context) {
	list := layerRules
	if !s.On {
		if sign := signs[event.Event.Type]; sign == nil || !sign(event.Event.Data) {
			list = offRules
		}
	}
	if list == layerRules {
		s.On = true
	}
	if len(list.On(event.Event.Type)) > 0 {
		list.Run(&Context{Context: event, config: c, state: s})
	}
	s.wait(event)
}

// Signal applies the rules of the evaluator, which need only the event.
func (c *Config) Signal(event *run.Context) {
	if len(signalRules.On(event.Event.Type)) > 0 {
		signalRules.Run(&Context{Context: event, config: c})
	}
}

// kindPipeline is the kind of run whose intent is always watched.
const kindPipeline = "pipeline"

// signs are the events that enable the layer for their run.
var signs = map[events.Type]func(data any) bool{
	runevents.TypeRunStarted: sign(func(d *runevents.RunStarted) bool {
		return d.Kind == kindPipeline || d.Trigger != nil && (d.Trigger.SkipIntent || d.Trigger.RequireIntentConfirmation != "")
	}),
	runevents.TypeTicketReceived:        always,
	runevents.TypeIntentCheckpoint:      always,
	runevents.TypeAssumptionsStated:     always,
	runevents.TypeCouncilCompleted:      always,
	runevents.TypeClarificationAnswered: always,
	runevents.TypeCalibrationRecorded:   always,
	runevents.TypeContextAssembled:      always,
	runevents.TypePhaseCompleted: sign(func(d *runevents.PhaseCompleted) bool {
		return len(d.OpenQuestions) > 0 || len(d.Observations) > 0
	}),
	runevents.TypeRunCompleted: sign(func(d *runevents.RunCompleted) bool { return len(d.Observations) > 0 }),
}

func always(data any) bool { return data != nil }

// sign adapts a function that handles one type of payload.
func sign[D any](shows func(D) bool) func(any) bool {
	return func(data any) bool {
		d, is := data.(D)
		return is && shows(d)
	}
}

// firstEditAhead folds the first edit of a run that does not use the layer yet, since it
// may precede the checkpoint (PL-32).
var firstEditAhead = Rule{ID: "PL-32", Folds: true, On: run.Types(sessionevents.TypeTurnEvaluated), Run: run.With(func(c *Context, d *sessionevents.TurnEvaluated) {
	if d.Run == "" || d.Observed == nil || c.state.FirstEdit != nil {
		return
	}
	if at := c.config.firstSource(d.Observed.FilesEdited); at >= 0 {
		c.state.FirstEdit = &Edit{Event: c.Event.ID, Session: clip(d.Session, 128), Path: c.config.text(d.Observed.FilesEdited[at])}
	}
})}

// memberAhead folds the agents spawned for a council of such a run (PL-35).
var memberAhead = Rule{ID: "PL-35", Folds: true, On: run.Types(runevents.TypeAgentSpawned), Run: run.With(func(c *Context, d *runevents.AgentSpawned) {
	if member, is := c.config.Council.member(d); is {
		c.state.join(member, c.config.Kept.List)
	}
})}

// settings folds the run's settings for questions to people (PL-33, PL-37).
var settings = Rule{ID: "PL-33", Folds: true, On: run.Types(runevents.TypeRunStarted), Run: run.With(func(c *Context, d *runevents.RunStarted) {
	if t := d.Trigger; t != nil {
		c.state.Confirmation = clip(t.RequireIntentConfirmation, 16)
		c.state.Skip = t.SkipIntent
		c.state.Urgent = t.Priority == "critical" || t.IgnoreWorkingHours
	}
})}

// runCompleted closes the open question: no questions are asked about a completed run
// (PL-33).
var runCompleted = Rule{ID: "PL-33", Folds: true, On: run.Types(runevents.TypeRunCompleted), Run: run.With(func(c *Context, _ *runevents.RunCompleted) {
	c.state.withdraw()
})}

// wait stores the question that the run waits for in the context, for later layers
// (PL-33). Phases are held only while the run waits.
func (s *State) wait(event *run.Context) {
	r := s.waiting()
	event.Asking = r != nil
	if r == nil || r.Default != "" {
		s.Held = nil
		return
	}
	event.Question = &run.Question{ID: r.ID, Why: r.pause()}
}

// gatesHeld is PL-33: it turns an allow of the gate next_phase into a hold while
// the run waits for an answer without a default. It reads the conclusions of
// earlier layers about the same event.
var gatesHeld = Rule{ID: "PL-33", On: run.Types(runevents.TypePhaseStarted, runevents.TypeGateRequested), Run: func(c *Context) {
	if r := c.state.waiting(); r != nil && r.Default == "" {
		c.hold(r)
		c.remember()
	}
}}

func (r *Request) pause() string {
	return fmt.Sprintf("The run is paused until an operator answers: %s. There is no default.", r.choice())
}

// hold changes the answers to the gate next_phase. The council's challengers may
// still be spawned.
func (c *Context) hold(r *Request) {
	for _, one := range c.Conclusions() {
		gate, is := one.Data.(*runevents.GateDecided)
		if !is || gate.Gate != runevents.GateNextPhase || gate.Decision == runevents.DecisionDeny || gate.Decision == runevents.DecisionHold {
			continue
		}
		gate.Decision, gate.Rule, gate.WhoDecides = runevents.DecisionHold, "PL-33", runevents.DecidedByOperator
		gate.Why = r.pause()
		gate.Options = r.options()
		gate.Evidence = append(gate.Evidence, runevents.Reference{Event: r.Event})
	}
}

// Held is a phase that started while its gate was on hold.
type Held struct {
	Phase string `json:"phase"`
	Event string `json:"event"` // the gate request
}

// remember records a phase whose gate is on hold until the question is answered. A gate
// that is asked in advance starts no phase.
func (c *Context) remember() {
	data, is := c.Event.Data.(*runevents.PhaseStarted)
	if !is {
		return
	}
	for _, one := range c.Conclusions() {
		gate, is := one.Data.(*runevents.GateDecided)
		if is && gate.Gate == runevents.GateNextPhase && gate.Decision == runevents.DecisionHold {
			c.state.Held = text.Newest(append(c.state.Held, Held{Phase: clip(data.Phase, 128), Event: c.Event.ID}), c.config.Kept.List)
			return
		}
	}
}

// phaseRanHeld is PL-33: a phase ran although its gate was on hold. A phase whose gate
// has opened since then is no longer held.
var phaseRanHeld = Rule{ID: "PL-33", On: run.Types(runevents.TypePhaseCompleted), Run: run.With(func(c *Context, data *runevents.PhaseCompleted) {
	s := c.state
	at := slices.IndexFunc(s.Held, func(h Held) bool { return h.Phase == clip(data.Phase, 128) })
	if at < 0 {
		return
	}
	held := s.Held[at]
	s.Held = slices.DeleteFunc(slices.Clone(s.Held), func(h Held) bool { return h.Phase == held.Phase })
	if r := s.waiting(); r == nil || r.Default != "" {
		return
	}
	c.Violation(runevents.ViolationDetected{
		Code: CodeHeldPhase, Rule: "PL-33", What: fmt.Sprintf("Phase %s ran though its gate was on hold.", c.config.text(data.Phase)),
		Phase: held.Phase, Evidence: c.evidence([]string{held.Event}), CaughtBy: runevents.CaughtByObserver,
	})
})}
