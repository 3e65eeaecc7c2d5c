package operator

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Source is the CloudEvents source of what a person does.
const Source = "/scaffoldwatch/operator"

func person(by string) runevents.Actor { return runevents.Actor{Kind: runevents.ActorHuman, ID: by} }

// Resume is the event that lets a run with its sessions go on, or one session. It is published in
// the group of the place.
func Resume(p decisions.Place, by, why string) events.Event {
	if p.Run {
		return events.Event{Type: runevents.TypeRunResumed, Data: &runevents.RunResumed{Actor: person(by), By: by, Why: why}}
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
