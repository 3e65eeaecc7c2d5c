package intent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Request is a question to a person (PL-36).
type Request struct {
	ID      string `json:"id"`
	Event   string `json:"event"` // that led to it
	Status  string `json:"status"`
	A       string `json:"a"`
	B       string `json:"b"`
	ForA    string `json:"for_a,omitempty"`
	ForB    string `json:"for_b,omitempty"`
	Default string `json:"default,omitempty"` // "": none, the run is paused
	Until   string `json:"until,omitempty"`
	Own     bool   `json:"own,omitempty"`   // A is what the agent understood
	OwnB    bool   `json:"own_b,omitempty"` // B is
}

// States of a request.
const (
	open      = "open"
	answered  = "answered"
	defaulted = "defaulted"
	withdrawn = "withdrawn"
)

// Ids of the four options.
const (
	optionA       = "A"
	optionB       = "B"
	optionProceed = "proceed"
	optionAbandon = "abandon"
)

const timerPrefix = "intent.clarification."

// waiting is the request that nobody has answered yet.
func (s *State) waiting() *Request {
	for i := len(s.Requests) - 1; i >= 0; i-- {
		if s.Requests[i].Status == open {
			return &s.Requests[i]
		}
	}
	return nil
}

// ask puts the question, in place of an earlier one that is open: with a default and its time, or, where confirmation is
// always wanted and the task ambiguous, without (PL-33).
func (d *decision) ask(level Level, r readings) {
	d.withdraw()
	id := events.DerivedID("intent", d.in.Event.Source, d.event, len(d.state.Requests))
	q := Request{
		ID: id, Event: d.event, Status: open, Own: r.own, OwnB: r.ownB,
		A: d.text(r.a.text), B: d.text(r.b.text), ForA: d.text(r.a.evidence), ForB: d.text(r.b.evidence),
	}
	if d.state.Confirmation != confirmAlways || level != Ambiguous {
		q.Default = d.config.Clarification.Default
		q.Until = verdict.At(d.in.Event.Time.Add(d.config.Clarification.Timeout))
		d.verdict.Timer(timerPrefix+id, verdict.At(verdict.Now(d.in).Add(d.config.Clarification.Timeout)), nil)
	}
	d.state.Requests = kept(append(d.state.Requests, q), d.config.Kept.Requests)
	d.verdict.Tell(runevents.TypeClarificationRequested, &runevents.ClarificationRequested{
		RequestID: id, Question: r.question, Options: q.options(), Default: q.Default, Until: q.Until,
	})
}

// withdraw closes the question that is open: something else took its place.
func (d *decision) withdraw() {
	if r := d.state.waiting(); r != nil {
		r.Status = withdrawn
	}
}

func (r *Request) options() []runevents.Option {
	return []runevents.Option{
		{ID: optionA, Text: r.A, Evidence: r.ForA, Effect: effect(r.Own)},
		{ID: optionB, Text: r.B, Evidence: r.ForB, Effect: effect(r.OwnB)},
		{ID: optionProceed, Text: "Proceed with best judgment", Evidence: "nobody has to decide now", Effect: "The agent chooses; a wrong choice shows in review."},
		{ID: optionAbandon, Text: "Abandon the task", Evidence: "the ticket can be written anew", Effect: "The agent is told to stop; what it has done stays unmerged."},
	}
}

// choice names what is asked, for who sees nothing but this.
func (r *Request) choice() string {
	return fmt.Sprintf("A %q or B %q (clarification %s)", r.A, r.B, r.ID)
}

// effect of a reading, by whether the agent understood it so itself.
func effect(own bool) string {
	if own {
		return "Work goes on as the agent understood it."
	}
	return "The agent is told; what it did with another reading is done again."
}

// answered takes an operator's answer; anybody else's is a violation and changes
// nothing (PL-36).
func (d *decision) answered(data *runevents.ClarificationAnswered) {
	if d.in.Event.Credential != events.RoleOperator {
		d.violate("PL-36", CodeAnswerRole, fmt.Sprintf("Clarification %s was answered without an operator's credential; the answer does not count.", clip(data.RequestID, 64)))
		return
	}
	d.answer(data.RequestID, data.Option, data.Text, data.By)
}

// act takes the same answer as an operator's act.
func (d *decision) act(data *runevents.OperatorAct) {
	if data.Act != "answer" || d.request(data.Target) == nil {
		return
	}
	var details struct{ Option, Text string }
	if len(data.Details) > 0 && json.Unmarshal(data.Details, &details) != nil {
		return
	}
	if details.Text == "" && details.Option == "" {
		details.Text = data.Why
	}
	d.answer(data.Target, details.Option, details.Text, data.By)
}

func (d *decision) request(id string) *Request {
	for i := range d.state.Requests {
		if d.state.Requests[i].ID == id {
			return &d.state.Requests[i]
		}
	}
	return nil
}

// answer closes a request and steers the agent. An answer after the default
// still counts: the operator has the last word.
func (d *decision) answer(id, option, text, by string) {
	r := d.meant(id)
	chosen, known := chosen(option)
	text = strings.TrimSpace(text)
	if r == nil {
		d.warn("PL-36", CodeAnswerUnknown, fmt.Sprintf("No clarification %q was asked for in this run.", clip(id, 64)))
		if text == "" {
			return
		}
		r = &Request{ID: clip(id, 64)} // an operator who says something is heard
	}
	if !known && text == "" {
		d.warn("PL-36", CodeAnswerUnknown, fmt.Sprintf("Clarification %s has no option %q and the answer has no text.", r.ID, clip(option, 40)), r.Event)
		return
	}
	if text == "" {
		text = r.says(chosen)
	}
	r.Status = answered
	s := d.state
	s.Confirmed, s.Due = true, ""
	s.Log.correction(d.event, chosen, d.text(text), d.config.Kept.Log)
	d.steer(r, chosen, d.text(text), by)
}

// meant is the request of an id; an id that is not known is taken for the
// question that is open.
func (d *decision) meant(id string) *Request {
	if r := d.request(id); r != nil {
		return r
	}
	return d.state.waiting()
}

// chosen reads an option's id in any case.
func chosen(option string) (id string, known bool) {
	for _, id := range []string{optionA, optionB, optionProceed, optionAbandon} {
		if strings.EqualFold(strings.TrimSpace(option), id) {
			return id, true
		}
	}
	return "", false
}

// says is the text of an option as it is told to the agent.
func (r *Request) says(option string) string {
	switch option {
	case optionA:
		return r.A
	case optionB:
		return r.B
	case optionProceed:
		return "Proceed with your best judgment and say which reading you chose."
	}
	return "Abandon this task: stop here and leave what you have unmerged."
}

// expired takes the default when nobody answered in time. The agent is told if
// it had understood something else.
func (d *decision) expired(data *events.TimerExpired) {
	id, is := strings.CutPrefix(data.Name, timerPrefix)
	if !is {
		return
	}
	r := d.request(id)
	if r == nil || r.Status != open || r.Default == "" {
		return
	}
	r.Status = defaulted
	d.state.Confirmed, d.state.Due = true, ""
	d.verdict.Tell(runevents.TypeClarificationDefaulted, &runevents.ClarificationDefaulted{
		RequestID: id, Options: r.options(), Default: r.Default, Until: r.Until,
	})
	if r.Default != optionA || !r.Own {
		d.steer(r, r.Default, r.says(r.Default), "")
	}
}

// steer delivers what was meant like an interrupt (PL-36). Where no session is
// known the run itself is addressed: its orchestrator listens to that.
func (d *decision) steer(r *Request, option, text, by string) {
	session := d.state.worker()
	headline := "Clarification: option " + option
	if option == "" {
		headline = "Clarification: the operator's own words"
	}
	turn := d.state.turnOf(session)
	if session == "" {
		session = d.in.Event.Subject
	}
	d.verdict.Interrupt(sessionevents.InterruptFired{
		Session: session, Turn: turn, Layer: sessionevents.LayerPipeline, Detector: "PL-36", Headline: headline, Message: text,
		Reason: r.reason(by), Signals: []string{},
	})
}

// reason says who decided.
func (r *Request) reason(by string) string {
	switch {
	case r.Status == defaulted:
		return fmt.Sprintf("Nobody answered clarification %s in time; its default %s holds.", r.ID, r.Default)
	case by == "":
		return fmt.Sprintf("The operator answered clarification %q.", r.ID)
	}
	return fmt.Sprintf("%s answered clarification %q.", clip(by, 64), r.ID)
}
