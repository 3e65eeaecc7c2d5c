// Package intent is the intent part of the pipeline layer (PL-30 … PL-39): does
// the agent build what was meant? It calls no model and runs no agent; it reads
// the ticket, the agent's checkpoint, the council and the operator's answers.
//
// The layer is on in a run of kind pipeline and from the first ticket,
// checkpoint, assumption, council, answer or assembled context; other runs cost
// it nothing. The ladder of PL-33 in order:
//
//	ticket.received     pre-flight; two failures: Subtype A, the operator is asked at once
//	intent.checkpoint   level = max(what the agent says, what the structure says)
//	                    clear: go on; ambiguous words and nothing to choose from: ask;
//	                    else a council is due
//	council.completed   clear: go on; else winner, question with default, or pause
//	answer or default   what was meant goes to the agent as a steer
//
// Findings are warnings and violations with the codes of codes.go.
package intent

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Decide concludes what an event means and folds it in.
func (c *Config) Decide(s *State, event *run.Context) {
	c.decide(s, event)
	s.wait(event)
}

func (c *Config) decide(s *State, event *run.Context) {
	if !s.On && !c.opens(event.Event) {
		c.glance(s, event.Event)
		return
	}
	s.On = true
	d := &Context{Context: event, config: c, state: s}
	switch data := event.Event.Data.(type) {
	case *sessionevents.TurnEvaluated:
		d.turn(data)
	case *runevents.RunStarted:
		d.started(data)
	case *runevents.TicketReceived:
		d.ticket(data)
	case *runevents.ContextAssembled:
		d.context(data)
	case *runevents.IntentCheckpoint:
		d.checkpoint(data)
	case *runevents.AssumptionsStated:
		d.assumptions(data)
	case *runevents.AgentSpawned:
		d.spawned(data)
	case *runevents.AgentCompleted:
		d.agentCompleted(data)
	case *runevents.GitCommit:
		d.edits(data.Files, "")
	case *runevents.CouncilCompleted:
		d.council(data)
	case *runevents.ClarificationAnswered:
		d.answered(data)
	case *runevents.OperatorAct:
		d.act(data)
	case *events.TimerExpired:
		d.expired(data)
	case *runevents.PhaseStarted:
		d.phaseStarted(data)
	case *runevents.PhaseCompleted:
		d.phaseCompleted(data)
	case *runevents.ReviewCompleted:
		d.review(data)
	case *runevents.CalibrationRecorded:
		d.calibration(data)
	case *runevents.RunCompleted:
		d.completed(data)
	}
	d.holdGates()
}

// opens says that an event turns the layer on in its run.
func (c *Config) opens(e events.Event) bool {
	switch data := e.Data.(type) {
	case *runevents.RunStarted:
		return data.Kind == kindPipeline || data.Trigger != nil && (data.Trigger.SkipIntent || data.Trigger.RequireIntentConfirmation != "")
	case *runevents.TicketReceived, *runevents.IntentCheckpoint, *runevents.AssumptionsStated, *runevents.CouncilCompleted,
		*runevents.ClarificationAnswered, *runevents.CalibrationRecorded, *runevents.ContextAssembled:
		return true
	case *runevents.PhaseCompleted:
		return len(data.OpenQuestions) > 0 || len(data.Observations) > 0
	case *runevents.RunCompleted:
		return len(data.Observations) > 0
	}
	return false
}

const kindPipeline = "pipeline"

// glance keeps what matters later of a run that does not use the layer yet: its
// first edit, which may come before the checkpoint (PL-32), and who is spawned for
// a council (PL-35).
func (c *Config) glance(s *State, e events.Event) {
	if spawned, is := e.Data.(*runevents.AgentSpawned); is {
		if member, is := c.Council.member(spawned); is {
			s.join(member, c.Kept.List)
		}
		return
	}
	data, is := e.Data.(*sessionevents.TurnEvaluated)
	if !is || data.Run == "" || data.Observed == nil || s.FirstEdit != nil {
		return
	}
	if at := c.firstSource(data.Observed.FilesEdited); at >= 0 {
		s.FirstEdit = &Edit{Event: e.ID, Session: clip(data.Session, 128), Path: clip(data.Observed.FilesEdited[at], c.Kept.Text)}
	}
}

// Context is an event on its way through the rules.
type Context struct {
	*run.Context
	config *Config
	state  *State
}

func (c *Context) started(data *runevents.RunStarted) {
	if t := data.Trigger; t != nil {
		c.state.Confirmation = clip(t.RequireIntentConfirmation, 16)
		c.state.Skip = t.SkipIntent
	}
}

// completed closes what waits: nobody is asked about a run that is over.
func (c *Context) completed(data *runevents.RunCompleted) {
	c.observations(data.Observations)
	if c.state.Worked || c.state.FirstEdit != nil {
		c.beforeWork()
	}
	c.withdraw()
}

func (c *Context) agentCompleted(data *runevents.AgentCompleted) {
	c.state.Worked = true
	c.misread(data.Findings)
	c.edits(append(append([]string(nil), data.FilesChanged...), data.FilesCreated...), data.Session)
}
