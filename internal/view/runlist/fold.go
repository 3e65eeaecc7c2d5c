package runlist

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Begins reports whether an event starts a run that is not known yet. An event without information about a
// run does not: a session without a run is its own group and is listed once something breaks it.
func Begins(e events.Event) bool {
	switch data := e.Data.(type) {
	case *runevents.ControlChanged:
		return data.Scope == runevents.ScopeRun || e.Subject == e.Group() && data.State != runevents.ControlRunning
	case *runevents.GateDecided:
		return !data.Ahead
	case *runevents.RunEvaluated, *runevents.WiggumBreak, *runevents.EscalationRaised, *runevents.ClarificationRequested, *runevents.ClarificationDefaulted:
		return true
	case *runevents.OperatorAct, nil:
		return false
	}
	described, known := events.Lookup(e.Type)
	return known && described.RunEvent
}

// OwnSession reports whether an event shows that its group is a session without a run.
func OwnSession(e events.Event) bool {
	data, is := e.Data.(*runevents.ControlChanged)
	return is && data.Scope == runevents.ScopeSession && e.Subject == e.Group()
}

// OfSubagents reports whether an event only shows that a run is active. In a group that is a session
// without a run, such events are about its subagents and do not start a run.
func OfSubagents(e events.Event) bool {
	data, is := e.Data.(*runevents.ControlChanged)
	return is && data.Scope == runevents.ScopeRun && data.State == runevents.ControlRunning && data.Break == ""
}

// Apply folds one event of the run's group.
func (s *State) Apply(e events.Event) {
	r := &s.Run
	switch data := e.Data.(type) {
	case *runevents.OperatorAct:
		s.acted(data)
	case *runevents.RunEvaluated:
		s.stands(data.State, data.Break)
		r.Events++
	case *runevents.ControlChanged:
		s.changed(e, data)
	case *runevents.WiggumBreak:
		s.broke(e, data)
	case *runevents.EscalationRaised:
		s.escalated(e, data)
	case *runevents.ClarificationRequested:
		r.Questions = text.Newest(append(
			without(r.Questions, data.RequestID), Question{At: e.Time, ClarificationRequested: *data},
		), kept)
	case *runevents.ClarificationDefaulted:
		r.Questions = without(r.Questions, data.RequestID)
	case *runevents.GateDecided:
		s.gate(e, data)
	case *runevents.WarningIssued:
		r.Warnings++
	default:
		s.told(e)
	}
}

// told folds a run event as it was published.
func (s *State) told(e events.Event) {
	d, ok := events.Lookup(e.Type)
	if !ok || !d.RunEvent {
		return
	}
	r := &s.Run
	r.LastType = e.Type
	if e.Time.After(r.Last) {
		r.Last = e.Time
	}
	switch data := e.Data.(type) {
	case *runevents.RunStarted:
		r.Kind, r.Goal, r.Workspace, r.Project, r.Workflow = data.Kind, data.Goal, data.Workspace, data.Project, data.Workflow
		r.Outcome = ""
	case *runevents.RunCompleted:
		r.Outcome = data.Outcome
	case *runevents.RunResumed:
		if e.Credential == events.RoleOperator {
			r.Outcome = ""
		}
	case *runevents.RecoverySelected:
		if e.Credential == events.RoleOperator {
			r.Refused = slices.DeleteFunc(
				r.Refused, func(g Gate) bool { return g.Gate == runevents.GateMerge && g.Wave == data.Wave },
			)
		}
	case *runevents.ClarificationAnswered:
		if e.Credential == events.RoleOperator { // from anybody else it is only a claim (EV-10)
			r.Questions = without(r.Questions, data.RequestID)
		}
	}
}

func without(list []Question, id string) []Question {
	return slices.DeleteFunc(list, func(q Question) bool { return q.RequestID == id })
}

func (s *State) changed(e events.Event, data *runevents.ControlChanged) {
	if data.Scope != runevents.ScopeRun && e.Subject != e.Group() { // a session's break does not change its run's
		if data.Break == "" {
			s.Run.answered(e.Subject)
		}
		return
	}
	s.stands(data.State, data.Break)
}

// stands records the control state of the run; a break that is no longer open is over.
func (s *State) stands(state runevents.ControlState, open string) {
	r := &s.Run
	r.State, r.Break = state, nil
	if open == "" {
		s.Breaks = nil
		r.answered("")
		return
	}
	if b, ok := s.Breaks[open]; ok {
		r.Break = &b
		return
	}
	r.Break = &Break{ID: open}
}

func (s *State) broke(e events.Event, data *runevents.WiggumBreak) {
	r := &s.Run
	if s.Breaks == nil || len(s.Breaks) >= kept {
		s.Breaks = map[string]Break{}
	}
	one := Break{ID: e.ID, At: e.Time, WiggumBreak: *data, Cause: e.CausationID}
	s.Breaks[e.ID] = one
	r.Escalations = slices.DeleteFunc(
		r.Escalations, func(e Escalation) bool { return data.Upgrades != "" && e.Break == data.Upgrades },
	)
	for i := range r.Escalations {
		if reports(&r.Escalations[i], &one) {
			r.Escalations[i].Break = e.ID
		}
	}
	if e.Time.After(r.Last) {
		r.Last = e.Time
	}
	if r.Break != nil && r.Break.ID == e.ID {
		s.stands(r.State, e.ID)
	}
}

func (s *State) escalated(e events.Event, data *runevents.EscalationRaised) {
	r := &s.Run
	if data.Reminder {
		for i := range r.Escalations {
			if r.Escalations[i].ID == data.Of {
				r.Escalations[i].RemindedBy = e.ID
			}
		}
		return
	}
	one := Escalation{ID: e.ID, At: e.Time, EscalationRaised: *data, Cause: e.CausationID}
	for id, b := range s.Breaks {
		if reports(&one, &b) && (one.Break == "" || id < one.Break) {
			one.Break = id
		}
	}
	r.Escalations = text.Newest(append(r.Escalations, one), kept)
}

// acted folds a person's act: an escalation is over once it is acknowledged, by its own id, its reminder's
// or its break's; without an id, all are (RW-41).
func (s *State) acted(data *runevents.OperatorAct) {
	r := &s.Run
	if data.Act != "ack" {
		return
	}
	all := data.Target == "" || data.Target == data.Run || data.Target == data.Session
	r.Escalations = slices.DeleteFunc(r.Escalations, func(e Escalation) bool {
		switch {
		case all:
			return data.Session == "" || e.Session == data.Session
		case r.Break != nil && r.Break.ID == data.Target:
			return reportsBreak(e)
		}
		return e.ID == data.Target || e.RemindedBy == data.Target
	})
}

// breakIssue is the prefix of the issue of an escalation that reports a break.
const breakIssue = "break/"

// reports reports whether an escalation is about a break: both follow from one event, and it is named after
// the break or is its layer's own, with the options. A break that replaces another also replaces its report
// (RW-32).
func reports(e *Escalation, b *Break) bool {
	return e.Cause != "" && e.Cause == b.Cause && (e.Issue == breakIssue+string(b.Trigger) || len(e.Options) > 0)
}

func reportsBreak(e Escalation) bool {
	return e.Break != "" || strings.HasPrefix(e.Issue, breakIssue)
}

// answered removes escalations about a break that is over, of the run or of a session.
func (r *Run) answered(session string) {
	r.Escalations = slices.DeleteFunc(r.Escalations, func(e Escalation) bool {
		return reportsBreak(e) && (e.Session == session || session == "" && e.Session == r.ID)
	})
}

// gate keeps the last answer of a gate for the same act; an advance request blocks nothing.
func (s *State) gate(e events.Event, data *runevents.GateDecided) {
	if data.Ahead {
		return
	}
	r := &s.Run
	r.Refused = slices.DeleteFunc(r.Refused, func(g Gate) bool {
		return g.Gate == data.Gate && g.Wave == data.Wave && g.Phase == data.Phase && g.AgentID == data.AgentID
	})
	if data.Decision == runevents.DecisionDeny || data.Decision == runevents.DecisionHold {
		r.Refused = text.Newest(append(r.Refused, Gate{ID: e.ID, At: e.Time, GateDecided: *data}), kept)
	}
}
