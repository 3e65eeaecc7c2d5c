package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func (t Theme) broken(d *runevents.WiggumBreak) notice {
	style, head := t.Bad, "BREAK, halted at once: "
	if d.Kind == runevents.BreakSoft {
		style, head = t.Warn, "BREAK, halts after the current task: "
	}
	body := sentence(d.Reason)
	if d.Present != "" {
		body += " " + sentence(d.Present)
	}
	if action := wip(d); action != "" {
		body += " Work in progress: " + action + "."
	}
	if n := len(d.UnresolvedFindings); n > 0 {
		body += fmt.Sprintf(" %d %s unresolved.", n, plural(n, "finding is", "findings are"))
	}
	return notice{style, "■", head + words(string(d.Trigger)), body, nil, false} // its escalation lists the answers
}

func wip(d *runevents.WiggumBreak) string {
	switch d.WIPAction {
	case runevents.WIPCommit:
		return "commit it"
	case runevents.WIPRevert:
		return strings.TrimSpace("revert " + d.RevertSHA)
	case runevents.WIPFinishThenHalt:
		return "finish the task, then halt"
	}
	return ""
}

// control returns the notice of a stop. It reports false for a return to running, which is not news, and
// for a session of a run, which follows its run.
func (t Theme) control(d *runevents.ControlChanged) (notice, bool) {
	if d.Scope == runevents.ScopeSession && d.Run != "" {
		return notice{}, false
	}
	n := notice{t.Faint, "■", string(d.State), d.Why, nil, true}
	if d.State == runevents.ControlRunning {
		if d.Who == "" {
			return notice{}, false
		}
		n = notice{t.Good, "▶", "resumed by " + quote.Name(d.Who), passage(d.Why), nil, true}
	}
	return n, true
}

func (t Theme) escalation(d *runevents.EscalationRaised) notice {
	head := "ESCALATION to " + string(d.To) + ": " + words(d.Issue)
	if d.Reminder {
		head = "REMINDER to " + string(d.To) + ": " + words(d.Issue)
	}
	body := d.Text
	if strings.HasPrefix(d.Issue, "break/") && !d.Reminder && len(d.Options) > 0 {
		body = "" // the break above gives the reason; these are the answers
	}
	return notice{t.Bad, "▲", head, body, answers(d.Options, ""), false}
}

func (t Theme) correction(d *runevents.CorrectionIssued) notice {
	to := strings.TrimSpace(string(d.Target.Kind) + " " + d.Target.ID)
	if to == "" {
		to = "nobody known"
	}
	head := fmt.Sprintf("%s, step %d: %s, to %s", strings.ToUpper(string(d.Action)), d.Step, d.Issue, to)
	style := t.Warn
	if d.Step > 1 {
		style = t.Bad
	}
	text := d.Text
	if d.Step == 1 && d.Reason != "" { // later steps have it in their text
		text = d.Reason + " " + text
	}
	return notice{style, "→", head, text, nil, false}
}

func (t Theme) gate(d *runevents.GateDecided) notice {
	head := "gate " + words(string(d.Gate)) + about(d) + ": "
	n := notice{t.Good, "✓", head + "allowed", d.Why, nil, true}
	switch d.Decision {
	case runevents.DecisionAllowWithWarning:
		n = notice{t.Warn, "!", head + "allowed with a warning", d.Why, nil, false}
	case runevents.DecisionDeny:
		n = notice{t.Bad, "✗", head + "DENIED by " + d.Rule, d.Why, answers(d.Options, ""), false}
	case runevents.DecisionHold:
		n = notice{t.Bad, "‖", head + "HELD by " + d.Rule, d.Why, answers(d.Options, ""), false}
	}
	if n.lines != nil && d.WhoDecides != "" {
		n.body = sentence(n.body) + " The " + string(d.WhoDecides) + " decides."
	}
	return n
}

// about returns what a gate leads to.
func about(d *runevents.GateDecided) string {
	switch {
	case d.AgentID != "":
		return " of " + quote.Name(d.AgentID)
	case d.Phase != "":
		return " to " + quote.Name(d.Phase)
	case d.Wave > 0:
		return " of wave " + strconv.Itoa(d.Wave)
	}
	return ""
}

func (t Theme) budget(d *runevents.PolicyBudget) notice {
	style := t.Warn
	if d.Threshold >= 95 {
		style = t.Bad
	}
	head := fmt.Sprintf("%d%% of the budget: %s", d.Threshold, words(string(d.Action)))
	return notice{style, "$", head, strings.TrimSpace(fmt.Sprintf("%s of %s %s spent.", figure(d.Spent), figure(d.Limit), unit(d.Unit))), nil, false}
}

func (t Theme) checkpoint(d *runevents.PolicyCheckpoint) notice {
	n := notice{t.Faint, "◆", "checkpoint: continue", d.Why, nil, true}
	if d.Decision != runevents.CheckpointContinue {
		n.style, n.head, n.faint = t.Bad, "checkpoint: STOP", false
		n.lines = append(n.lines, d.Steps...)
	}
	return n
}

func (t Theme) clarification(d *runevents.ClarificationRequested) notice {
	head := "QUESTION " + d.RequestID
	if !d.Until.IsZero() && d.Default != "" {
		head += ", " + d.Default + " is taken at " + d.Until.Format(time.RFC3339Nano)
	}
	return notice{t.Warn, "?", head, d.Question, answers(d.Options, d.Default), false}
}

// answers returns a person's options, one on each line.
func answers(options []runevents.Option, preset string) []string {
	var out []string
	for _, o := range options {
		line := o.ID + ": " + o.Text
		for _, more := range []string{o.Tradeoff, o.Effect} {
			if more != "" {
				line += " (" + strings.TrimSuffix(more, ".") + ")"
			}
		}
		if o.ID == preset && preset != "" {
			line += ", the default"
		}
		out = append(out, line)
	}
	return out
}

// chosen returns the text of the option with an id.
func chosen(options []runevents.Option, id string) string {
	for _, o := range options {
		if o.ID == id {
			return o.Text
		}
	}
	return ""
}

// places returns the files among the evidence; events are for machines.
func places(evidence []runevents.Reference) []string {
	var out []string
	for _, r := range evidence {
		if r.Path == "" {
			continue
		}
		line := r.Path
		if r.Line > 0 {
			line += ":" + strconv.Itoa(r.Line)
		}
		if out = append(out, line); len(out) == maxPlaces && len(evidence) > maxPlaces {
			return append(out, fmt.Sprintf("… %d pieces of evidence in all", len(evidence)))
		}
	}
	return out
}

// maxPlaces limits how many files a judgement shows.
const maxPlaces = 6

// ofLayer reports whether an interrupt comes from a layer above the session: it is emitted at once, outside
// of the session's budget.
func ofLayer(d *sessionevents.InterruptFired) bool {
	return d.Layer != "" && d.Layer != sessionevents.LayerSession
}

func toSession(d *sessionevents.InterruptFired) string {
	if d.Session == "" {
		return ""
	}
	return ", to session " + d.Session
}

func judged(code, rule string) string {
	if rule == "" || rule == code {
		return code
	}
	return code + " (" + rule + ")"
}

func times(n int) string {
	if n < 2 {
		return ""
	}
	return fmt.Sprintf(", %d times", n)
}

// words makes a code readable: agent_failures, break/agent_failures.
func words(code string) string { return strings.NewReplacer("_", " ").Replace(code) }

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// sentence adds a full stop if text does not end with one.
func sentence(text string) string {
	if text = strings.TrimSpace(text); text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// figure formats a number without needless digits.
func figure(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// unit names what is spent: "USD".
func unit(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(quote.Name(name))
}

// passage formats what somebody wrote, "" for nothing.
func passage(text string) string {
	if text == "" {
		return ""
	}
	return quote.Passage(text)
}
