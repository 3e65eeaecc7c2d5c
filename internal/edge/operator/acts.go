package operator

import (
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Source is the CloudEvents source of what a person does.
const Source = "/scaffoldwatch/operator"

func person(by string) runevents.Actor { return runevents.Actor{Kind: runevents.ActorHuman, ID: by} }

// Resume is the event that lets a run with its sessions go on, or one session. It is published in
// the group of the place.
func Resume(p decisions.Place, by, why string) events.Event {
	if p.Run {
		return events.Event{
			Type: runevents.TypeRunResumed,
			Data: &runevents.RunResumed{Actor: person(by), By: by, Why: why},
		}
	}
	return events.Event{Type: runevents.TypeOperatorAct, Subject: p.ID, Data: &runevents.OperatorAct{
		Act: runevents.ActResume, Session: p.ID, Run: p.RunID(), By: by, Why: why,
	}}
}

// Clarify is the event that answers a question of a run, by an option, a text or both.
func Clarify(request, option, text, by string) events.Event {
	return events.Event{Type: runevents.TypeClarificationAnswered, Data: &runevents.ClarificationAnswered{
		Actor: person(by), RequestID: request, Option: option, Text: text, By: by,
	}}
}

// Halt is the event that stops a run with its sessions, or one session.
func Halt(p decisions.Place, by, why string) events.Event {
	if p.Run {
		p.IsSession = false // a run's halt is one of its sessions, too
	}
	act := &runevents.OperatorAct{Act: runevents.ActHalt, Run: p.RunID(), By: by, Why: why}
	if p.IsSession {
		act.Session = p.ID
	}
	return events.Event{Type: runevents.TypeOperatorAct, Subject: p.ID, Data: act}
}

// Approve is the event that approves the plan of a run (WP-8).
func Approve(by, why string) events.Event {
	return events.Event{
		Type: runevents.TypePlanApproved,
		Data: &runevents.PlanApproved{Actor: person(by), By: by, Why: why},
	}
}

// Recover is the event that chooses how a merge that the trip wire denied goes on (WP-1).
func Recover(wave, option int, by, why string) events.Event {
	return events.Event{
		Type: runevents.TypeRecoverySelected,
		Data: &runevents.RecoverySelected{Actor: person(by), Wave: wave, Option: option, By: by, Why: why},
	}
}

// Allow is the act that lets a denied call run once (GD-11). A subagent's denials are lifted where its
// person is: in the session of its agent.
func Allow(denied events.Event, by, why string, now time.Time) events.Event {
	d, is := denied.Data.(*sessionevents.GuardDecided)
	if !is {
		return events.Event{}
	}
	session, _, _ := strings.Cut(denied.Subject, "-agent-")
	act := &runevents.OperatorAct{Act: runevents.ActAllow, Session: session, Target: d.Word, By: by, Why: why}
	if denied.Group() != denied.Subject {
		act.Run = denied.Group()
	}
	e := events.Event{
		Type:         runevents.TypeOperatorAct,
		Subject:      session,
		PartitionKey: denied.Group(),
		Time:         now.UTC(),
		Data:         act,
	}
	e.ID = events.DerivedID("allow", session, d.Word+e.Time.Format(time.RFC3339Nano), 0)
	return e
}

// Restored is the act that records that a person wrote back what a snapshot holds.
func Restored(session, group, snapshot, by, why string, now time.Time) events.Event {
	act := &runevents.OperatorAct{
		Act:     runevents.ActRestore,
		Session: session,
		Run:     runOf(session, group),
		Target:  snapshot,
		By:      by,
		Why:     why,
	}
	e := events.Event{
		Type:         runevents.TypeOperatorAct,
		Subject:      session,
		PartitionKey: group,
		Time:         now.UTC(),
		Data:         act,
	}
	e.ID = events.DerivedID("restore", session, snapshot+e.Time.Format(time.RFC3339Nano), 0)
	return e
}

// AckEscalation is the event that acknowledges an escalation which is listed in a group.
func AckEscalation(e runlist.Escalation, group, by, why string) events.Event {
	act := &runevents.OperatorAct{Act: runevents.ActAck, Target: e.ID, By: by, Why: why}
	subject := group
	if e.Session != "" {
		act.Session, subject = e.Session, e.Session
	}
	if group != e.Session {
		act.Run = group
	}
	return events.Event{Type: runevents.TypeOperatorAct, Subject: subject, PartitionKey: group, Data: act}
}
