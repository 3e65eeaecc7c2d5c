package intent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Request is a question to an operator (PL-36).
type Request struct {
	ID      string    `json:"id"`
	Event   string    `json:"event"` // the cause
	Status  string    `json:"status"`
	A       string    `json:"a"`
	B       string    `json:"b"`
	ForA    string    `json:"for_a,omitempty"`
	ForB    string    `json:"for_b,omitempty"`
	Default string    `json:"default,omitempty"` // "": none, and the run is paused
	Until   time.Time `json:"until,omitzero"`
	Own     bool      `json:"own,omitempty"`   // option A is the agent's interpretation
	OwnB    bool      `json:"own_b,omitempty"` // option B is the agent's interpretation
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

// waiting returns the unanswered request, nil if there is none.
func (s *State) waiting() *Request {
	for i := len(s.Requests) - 1; i >= 0; i-- {
		if s.Requests[i].Status == open {
			return &s.Requests[i]
		}
	}
	return nil
}

// ask asks a question and replaces an open one (PL-33). It has a default and a deadline
// unless confirmation is always required and the task is ambiguous.
func (c *Context) ask(level Level, r readings) {
	c.state.withdraw()
	id := events.DerivedID("intent", c.Event.Source, c.Event.ID, len(c.state.Requests))
	q := Request{
		ID: id, Event: c.Event.ID, Status: open, Own: r.own, OwnB: r.ownB,
		A: c.config.text(r.a.text), B: c.config.text(r.b.text), ForA: c.config.text(r.a.evidence), ForB: c.config.text(r.b.evidence),
	}
	if c.state.Confirmation != confirmAlways || level != Ambiguous {
		q.Default = c.config.Clarification.Default
		q.Until = c.deadline(c.Event.Time)
		due := c.deadline(c.Now())
		if q.Until.After(due) { // by the publisher's clock: what people were told holds
			due = q.Until
		}
		c.SetTimer(timerPrefix+id, due, nil)
	}
	c.state.Requests = text.Newest(append(c.state.Requests, q), c.config.Kept.Requests)
	c.Conclude(runevents.TypeClarificationRequested, &runevents.ClarificationRequested{
		RequestID: id, Question: r.question, Options: q.options(), Default: q.Default, Until: q.Until,
	})
}

// deadline returns when the default of a question takes effect. The clock runs only while
// people can see the question, so not while notices are held (PL-36, PL-51).
func (c *Context) deadline(asked time.Time) time.Time {
	seen := c.config.seen
	if c.state.Urgent { // its notices are not held
		seen = workhours.Window{}
	}
	return seen.After(asked, c.config.Clarification.Timeout).UTC()
}

// withdraw closes the open question because another replaces it.
func (s *State) withdraw() {
	if r := s.waiting(); r != nil {
		r.Status = withdrawn
	}
}

func (r *Request) options() []runevents.Option {
	return []runevents.Option{
		{ID: optionA, Text: r.A, Evidence: r.ForA, Effect: effect(r.Own)},
		{ID: optionB, Text: r.B, Evidence: r.ForB, Effect: effect(r.OwnB)},
		{ID: optionProceed, Text: "Proceed with best judgment", Evidence: "nobody has to decide now", Effect: "The agent chooses; a wrong choice shows in review."},
		{ID: optionAbandon, Text: "Abandon the task", Evidence: "the ticket can be rewritten", Effect: "The agent is told to stop; what it has done stays unmerged."},
	}
}

// choice describes the question for readers without any other context.
func (r *Request) choice() string {
	return fmt.Sprintf("A %s or B %s (clarification %s)", r.A, r.B, r.ID)
}

// effect describes the consequence of choosing a reading, depending on whether the agent
// already understood it that way.
func effect(own bool) string {
	if own {
		return "Work goes on as the agent understood it."
	}
	return "The agent is told; what it did with another reading is done again."
}

// clarificationAnswered is PL-36: only an operator may answer. An answer by anyone
// else is a violation and changes nothing.
var clarificationAnswered = Rule{ID: "PL-36", On: run.Types(runevents.TypeClarificationAnswered), Run: run.With(func(c *Context, data *runevents.ClarificationAnswered) {
	if !c.ByOperator() {
		c.violate("PL-36", CodeAnswerRole, fmt.Sprintf("Clarification %s was answered without an operator's credential; the answer does not count.", clip(data.RequestID, 64)))
		return
	}
	c.answer(data.RequestID, data.Option, data.Text, data.By)
})}

// answeredByAct is PL-36 by operator.act.
var answeredByAct = Rule{ID: "PL-36", On: run.Types(runevents.TypeOperatorAct), Run: run.With(func(c *Context, data *runevents.OperatorAct) {
	if data.Act != runevents.ActAnswer || c.state.request(data.Target) == nil {
		return
	}
	var details struct{ Option, Text string }
	if len(data.Details) > 0 && json.Unmarshal(data.Details, &details) != nil {
		return
	}
	if details.Text == "" && details.Option == "" {
		details.Text = data.Why
	}
	c.answer(data.Target, details.Option, details.Text, data.By)
})}

func (s *State) request(id string) *Request {
	for i := range s.Requests {
		if s.Requests[i].ID == id {
			return &s.Requests[i]
		}
	}
	return nil
}

// answer closes a request and steers the agent. An answer after the default still counts:
// the operator's decision is final.
func (c *Context) answer(id, option, text, by string) {
	r := c.state.meant(id)
	chosen, known := chosen(option)
	text = strings.TrimSpace(text)
	if r == nil || r.Status == withdrawn {
		open := c.state.waiting()
		switch {
		case open != nil && r != nil:
			c.warn("PL-36", CodeAnswerUnknown,
				fmt.Sprintf("Clarification %s was withdrawn, and %s took its place: the answer does not count. Answer that one.", r.ID, open.ID), r.Event, open.Event)
		case open != nil:
			c.warn("PL-36", CodeAnswerUnknown,
				fmt.Sprintf("No clarification %s was asked for in this run; %s is open: the answer does not count. Answer that one.", quote.Text(clip(id, 64)), open.ID), open.Event)
		default:
			c.warn("PL-36", CodeAnswerUnknown, fmt.Sprintf("No clarification %s was asked for in this run.",
				quote.Text(clip(id, 64))))
		}
		if text == "" || open != nil {
			return
		}
		r = &Request{ID: clip(id, 64)} // an operator's text is used even without a request
	}
	if !known && text == "" {
		c.warn("PL-36", CodeAnswerUnknown, fmt.Sprintf("Clarification %s has no option %s and the answer has no text.", r.ID, quote.Text(clip(option, 40))), r.Event)
		return
	}
	if text == "" {
		text = r.says(chosen)
	}
	r.Status = answered
	s := c.state
	s.Confirmed, s.Due = true, ""
	s.Log.correction(c.Event.ID, chosen, c.config.text(text), c.config.Kept.Log)
	c.steer(r, chosen, c.config.text(text), by)
}

// meant returns the request with an id, or the open question for an empty id. An answer
// that names another question does not answer this one.
func (s *State) meant(id string) *Request {
	if id == "" {
		return s.waiting()
	}
	return s.request(id)
}

// chosen reads an option's id, in any case.
func chosen(option string) (id string, known bool) {
	for _, id := range []string{optionA, optionB, optionProceed, optionAbandon} {
		if strings.EqualFold(strings.TrimSpace(option), id) {
			return id, true
		}
	}
	return "", false
}

// says returns the text of an option for the agent.
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

// clarificationDefaulted is PL-33: the default takes effect if no answer arrives in time.
// The agent is informed if it had understood something else.
var clarificationDefaulted = Rule{ID: "PL-33", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, data *events.TimerExpired) {
	id, is := strings.CutPrefix(data.Name, timerPrefix)
	if !is {
		return
	}
	r := c.state.request(id)
	if r == nil || r.Status != open || r.Default == "" {
		return
	}
	r.Status = defaulted
	c.state.Confirmed, c.state.Due = true, ""
	c.Conclude(runevents.TypeClarificationDefaulted, &runevents.ClarificationDefaulted{
		RequestID: id, Options: r.options(), Default: r.Default, Until: r.Until,
	})
	if r.Default != optionA || !r.Own {
		c.steer(r, r.Default, r.says(r.Default), "")
	}
})}

// steer delivers the clarified intent like an interrupt (PL-36). If no session is known
// it addresses the run itself, to which the orchestrator subscribes.
func (c *Context) steer(r *Request, option, text, by string) {
	session := c.state.worker()
	headline := "Clarification: option " + option
	if option == "" {
		headline = "Clarification: the operator's own words"
	}
	turn := c.state.turnOf(session)
	if session == "" {
		session = c.Event.Subject
	}
	c.Interrupt(sessionevents.InterruptFired{
		Session: session, Turn: turn, Layer: sessionevents.LayerPipeline, Detector: "PL-36", Headline: headline, Message: text,
		Reason: r.reason(by), Signals: []string{},
	})
}

// reason returns who decided.
func (r *Request) reason(by string) string {
	switch {
	case r.Status == defaulted:
		return fmt.Sprintf("Nobody answered clarification %s in time; its default %s holds.", r.ID, r.Default)
	case by == "":
		return fmt.Sprintf("The operator answered clarification %s.", quote.Text(r.ID))
	}
	return fmt.Sprintf("%s answered clarification %s.", quote.Name(by), quote.Text(r.ID))
}
