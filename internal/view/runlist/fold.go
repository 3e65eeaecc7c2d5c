package runlist

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Begins reports whether an event begins a run that is not known. What says
// nothing of a run begins none: a session without one is its own group and is
// listed once something breaks it.
func Begins(e events.Event) bool {
	switch data := e.Data.(type) {
	case *events.ControlChanged:
		return data.Scope == events.ScopeRun || e.Subject == e.Group() && data.State != events.ControlRunning
	case *events.GateDecided:
		return !data.Ahead
	case *events.RunEvaluated, *events.WiggumBreak, *events.EscalationRaised, *events.ClarificationRequested, *events.ClarificationDefaulted:
		return true
	case *events.OperatorAct, nil:
		return false
	}
	described, known := events.Lookup(e.Type)
	return known && described.RunEvent
}

// Apply folds one event of the run's group.
func (s *State) Apply(e events.Event) {
	r := &s.Run
	switch data := e.Data.(type) {
	case *events.OperatorAct:
		s.acted(data)
	case *events.RunEvaluated:
		s.stands(data.State, data.Break)
		r.Events++
	case *events.ControlChanged:
		s.changed(e, data)
	case *events.WiggumBreak:
		s.broke(e, data)
	case *events.EscalationRaised:
		s.escalated(e, data)
	case *events.ClarificationRequested:
		r.Questions = bounded(append(without(r.Questions, data.RequestID), Question{At: e.Time, ClarificationRequested: *data}))
	case *events.ClarificationDefaulted:
		r.Questions = without(r.Questions, data.RequestID)
	case *events.GateDecided:
		s.gate(e, data)
	default:
		s.told(e)
	}
}

// told is a run event as it was sent.
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
	case *events.RunStarted:
		r.Kind, r.Goal, r.Workspace, r.Project, r.Workflow = data.Kind, data.Goal, data.Workspace, data.Project, data.Workflow
		r.Outcome = ""
	case *events.RunCompleted:
		r.Outcome = data.Outcome
	case *events.RunResumed:
		if e.Credential == events.RoleOperator {
			r.Outcome = ""
		}
	case *events.RecoverySelected:
		if e.Credential == events.RoleOperator {
			r.Refused = slices.DeleteFunc(r.Refused, func(g Gate) bool { return g.Gate == events.GateMerge && g.Wave == data.Wave })
		}
	case *events.ClarificationAnswered:
		if e.Credential == events.RoleOperator { // another's is only a claim (EV-10)
			r.Questions = without(r.Questions, data.RequestID)
		}
	}
}

func without(list []Question, id string) []Question {
	return slices.DeleteFunc(list, func(q Question) bool { return q.RequestID == id })
}

func (s *State) changed(e events.Event, data *events.ControlChanged) {
	if data.Scope != events.ScopeRun && e.Subject != e.Group() { // a session's does not change its run's
		if data.Break == "" {
			s.Run.answered(e.Subject)
		}
		return
	}
	s.stands(data.State, data.Break)
}

// stands takes how the run stands; a break that is not open any more is over.
func (s *State) stands(state events.ControlState, open string) {
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

func (s *State) broke(e events.Event, data *events.WiggumBreak) {
	r := &s.Run
	if s.Breaks == nil || len(s.Breaks) >= kept {
		s.Breaks = map[string]Break{}
	}
	one := Break{ID: e.ID, At: e.Time, WiggumBreak: *data, Cause: e.CausationID}
	s.Breaks[e.ID] = one
	r.Escalations = slices.DeleteFunc(r.Escalations, func(e Escalation) bool { return data.Upgrades != "" && e.Break == data.Upgrades })
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

func (s *State) escalated(e events.Event, data *events.EscalationRaised) {
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
	r.Escalations = bounded(append(r.Escalations, one))
}

// acted takes what a person did: an escalation is over once acknowledged, by its
// own id, its reminder's or its break's; without a name all are (RW-41).
func (s *State) acted(data *events.OperatorAct) {
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

// breakIssue begins the issue of an escalation that reports a break.
const breakIssue = "break/"

// reports says that an escalation reports a break: both follow from one event,
// and it is named after the break or is its layer's own, with the ways out. A
// break that replaces another replaces its report (RW-32).
func reports(e *Escalation, b *Break) bool {
	return e.Cause != "" && e.Cause == b.Cause && (e.Issue == breakIssue+string(b.Trigger) || len(e.Options) > 0)
}

func reportsBreak(e Escalation) bool {
	return e.Break != "" || strings.HasPrefix(e.Issue, breakIssue)
}

// answered takes what reported a break that is over: of the run, or of a session.
func (r *Run) answered(session string) {
	r.Escalations = slices.DeleteFunc(r.Escalations, func(e Escalation) bool {
		return reportsBreak(e) && (e.Session == session || session == "" && e.Session == r.ID)
	})
}

// gate keeps the last answer of a gate for the same act; what was asked ahead
// holds nothing up.
func (s *State) gate(e events.Event, data *events.GateDecided) {
	if data.Ahead {
		return
	}
	r := &s.Run
	r.Refused = slices.DeleteFunc(r.Refused, func(g Gate) bool {
		return g.Gate == data.Gate && g.Wave == data.Wave && g.Phase == data.Phase && g.AgentID == data.AgentID
	})
	if data.Decision == events.DecisionDeny || data.Decision == events.DecisionHold {
		r.Refused = bounded(append(r.Refused, Gate{ID: e.ID, At: e.Time, GateDecided: *data}))
	}
}

func bounded[T any](list []T) []T { return list[max(0, len(list)-kept):] }
