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

// Source is the CloudEvents source of a person's acts.
const Source = "/scaffoldwatch/operator"

func person(by string) runevents.Actor { return runevents.Actor{Kind: runevents.ActorHuman, ID: by} }

// Resume returns the event that resumes a run with its sessions, or one session. It is published in the
// group of the place.
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

// Clarify returns the event that answers a question of a run, with an option, a text or both.
func Clarify(request, option, text, by string) events.Event {
	return events.Event{Type: runevents.TypeClarificationAnswered, Data: &runevents.ClarificationAnswered{
		Actor: person(by), RequestID: request, Option: option, Text: text, By: by,
	}}
}

// Halt returns the event that stops a run with its sessions, or one session.
func Halt(p decisions.Place, by, why string) events.Event {
	if p.Run {
		p.IsSession = false // halting a run halts its sessions, too
	}
	act := &runevents.OperatorAct{Act: runevents.ActHalt, Run: p.RunID(), By: by, Why: why}
	if p.IsSession {
		act.Session = p.ID
	}
	return events.Event{Type: runevents.TypeOperatorAct, Subject: p.ID, Data: act}
}

// Approve returns the event that approves the plan of a run (WP-8).
func Approve(by, why string) events.Event {
	return events.Event{
		Type: runevents.TypePlanApproved,
		Data: &runevents.PlanApproved{Actor: person(by), By: by, Why: why},
	}
}

// Recover returns the event that chooses how to recover a merge that the trip wire denied (WP-1).
func Recover(wave, option int, by, why string) events.Event {
	return events.Event{
		Type: runevents.TypeRecoverySelected,
		Data: &runevents.RecoverySelected{Actor: person(by), Wave: wave, Option: option, By: by, Why: why},
	}
}

// Allow returns the act that lets a denied call run once (GD-11). A subagent's denial is lifted where its
// person is: in the session of its parent.
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

// Restored returns the act that records that a person restored a snapshot.
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

// AckEscalation returns the event that acknowledges an escalation, which is listed in a group.
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
