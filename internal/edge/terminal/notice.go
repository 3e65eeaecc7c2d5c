package terminal

import (
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// notice is one decision about a run for a person. Its texts are as agents wrote them and are cleaned when
// printed.
type notice struct {
	style lipgloss.Style
	mark  string
	head  string   // a few words: what happened
	body  string   // a sentence or two
	lines []string // answers to choose from, steps
	faint bool     // no action needed: one line is enough
}

// noticeMargin is the column at which text below a notice begins.
const noticeMargin = 13

// Notice renders a decision about a run: its time, its heading, its wrapped details and the possible
// answers. It returns "" for events that are not decisions about a run, and for decisions that let it
// continue: gates that allow, control states that run.
func (t Theme) Notice(e events.Event) string {
	n, ok := t.notice(e)
	if !ok || n.faint {
		return ""
	}
	at := t.Faint.Render(t.at(e.Time, "15:04:05"))
	return "  " + at + " " + n.style.Render(n.mark+" "+Shorten(Clean(n.head), t.Width-noticeMargin)) + t.below(n, command(e), noticeMargin)
}

// below returns the lines under a heading, each at the margin, the last one a command.
func (t Theme) below(n notice, command string, margin int) string {
	var b strings.Builder
	if n.body != "" {
		b.WriteString("\n" + strings.Repeat(" ", margin) + Wrap(Clean(n.body), t.Width, margin))
	}
	for _, line := range n.lines {
		b.WriteString("\n" + strings.Repeat(" ", margin) + "- " + Wrap(Clean(line), t.Width, margin+2))
	}
	if command != "" {
		b.WriteString("\n" + strings.Repeat(" ", margin) + Wrap("→ "+Clean(command), t.Width, margin+2))
	}
	return b.String()
}

// run renders a decision about a run in the live feed.
func (t Theme) run(subject string, e events.Event) string {
	n, ok := t.notice(e)
	switch {
	case !ok:
		return ""
	case n.faint:
		return t.line(subject, n.style, n.mark, n.head, n.body)
	}
	return t.line(subject, n.style, n.mark, n.head, "") + t.below(n, command(e), feedMargin)
}

// notice describes a decision about a run.
func (t Theme) notice(e events.Event) (notice, bool) {
	switch d := e.Data.(type) {
	case *runevents.WiggumBreak:
		return t.broken(d), true
	case *runevents.BreakNoted:
		return notice{t.Warn, "■", "while it is halted: " + words(string(d.Trigger)), d.Reason, nil, false}, true
	case *runevents.ControlChanged:
		return t.control(d)
	case *sessionevents.InterruptFired:
		return notice{t.Bad, "⚡", "INTERRUPT" + toSession(d), cited(d.Message, d.Detector), nil, false}, ofLayer(d)
	case *runevents.HaltIgnored:
		return notice{t.Bad, "■", "HALT IGNORED" + times(d.Count), d.Reason, nil, false}, true
	case *runevents.EscalationRaised:
		return t.escalation(d), true
	case *runevents.CorrectionIssued:
		return t.correction(d), true
	case *runevents.GateDecided:
		return t.gate(d), true
	case *runevents.ViolationDetected:
		return notice{t.Bad, "✗", "RULE BROKEN", cited(d.What, d.Code, d.Rule), places(d.What, d.Evidence), false}, true
	case *runevents.WarningIssued:
		return notice{t.Warn, "!", "warning", cited(d.What, d.Code, d.Rule), places(d.What, d.Evidence), false}, true
	}
	return t.policy(e)
}

// policy describes decisions about boundaries and clarifications.
func (t Theme) policy(e events.Event) (notice, bool) {
	switch d := e.Data.(type) {
	case *runevents.PolicyBudget:
		return t.budget(d), true
	case *runevents.PolicyCheckpoint:
		return t.checkpoint(d), true
	case *runevents.ClarificationRequested:
		return t.clarification(d), true
	case *runevents.ClarificationDefaulted:
		return notice{t.Warn, "?", "nobody answered: " + d.Default + " is taken", chosen(d.Options, d.Default), nil, false}, true
	case *runevents.RunEvaluated:
		if d.Failed == "" {
			return notice{}, false
		}
		what := strings.ReplaceAll(words(d.EventType), ".", " ")
		return notice{t.Bad, "✗", "not watched: " + what, d.Failed, nil, false}, true
	}
	return notice{}, false
}
