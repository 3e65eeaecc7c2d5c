package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func (t Theme) broken(d *runevents.WiggumBreak) notice {
	style, head := t.Bad, "HALTED: "
	if d.Kind == runevents.BreakSoft {
		style, head = t.Warn, "HALTS after the current task: "
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
	head := "NEEDS YOU: "
	if d.To != runevents.RecipientUser {
		head = "NEEDS THE " + strings.ToUpper(string(d.To)) + ": "
	}
	if d.Reminder {
		head = "STILL " + head
	}
	body := d.Text
	if strings.HasPrefix(d.Issue, "break/") && !d.Reminder && len(d.Options) > 0 {
		body = "" // the break above gives the reason; these are the answers
	}
	return notice{t.Bad, "▲", head + runlist.IssueName(d.Issue), body, answers(d.Options, ""), false}
}

// command returns how a person answers what an event asks (CO-4), "" where nothing is asked.
func command(e events.Event) string {
	run := e.Group()
	if run == "" {
		return ""
	}
	switch d := e.Data.(type) {
	case *runevents.EscalationRaised:
		told := len(d.Options) == 0 && strings.HasSuffix(d.Issue, string(runevents.TriggerIsolationFailure))
		if d.To == runevents.RecipientUser && (!told || d.Reminder) { // else the gate before it has said so
			return runlist.Answers(cmp.Or(d.Run, run), naming.Brief(e.ID), d)
		}
	case *runevents.GateDecided:
		if d.Decision == runevents.DecisionDeny || d.Decision == runevents.DecisionHold {
			return runlist.Opens(run, d)
		}
	case *runevents.ClarificationRequested:
		return fmt.Sprintf("scaffoldwatch answer %s %s OPTION", run, naming.Brief(d.RequestID))
	}
	return ""
}

func (t Theme) correction(d *runevents.CorrectionIssued) notice {
	to := strings.TrimSpace(string(d.Target.Kind) + " " + d.Target.ID)
	if to == "" {
		to = "nobody known"
	}
	head := strings.ToUpper(string(d.Action)) + ", for " + to + ": " + runlist.IssueName(d.Issue)
	style := t.Warn
	if d.Step > 1 {
		style, head = t.Bad, head+", seen again"
	}
	text := d.Text
	if d.Step == 1 && d.Reason != "" { // later steps have it in their text
		text = d.Reason + " " + text
	}
	return notice{style, "→", head, text, nil, false}
}

func (t Theme) gate(d *runevents.GateDecided) notice {
	name := runlist.GateName(d)
	var n notice
	switch d.Decision {
	case runevents.DecisionAllowWithWarning:
		return notice{t.Warn, "!", "allowed with a warning: " + name, cited(d.Why, d.Rule), nil, false}
	case runevents.DecisionDeny:
		n = notice{t.Bad, "✗", "DENIED: " + name, d.Why, answers(d.Options, ""), false}
	case runevents.DecisionHold:
		n = notice{t.Bad, "‖", "HELD: " + name, d.Why, answers(d.Options, ""), false}
	default:
		return notice{t.Good, "✓", "allowed: " + name, d.Why, nil, true}
	}
	if n.lines != nil && d.WhoDecides != "" {
		n.body = sentence(n.body) + " The " + string(d.WhoDecides) + " decides."
	}
	n.body = cited(n.body, d.Rule)
	return n
}

// cited adds the codes of a rule at the end of a text, where they are out of the way (CO-9b).
func cited(text string, codes ...string) string {
	codes = slices.Compact(slices.DeleteFunc(codes, func(c string) bool { return c == "" }))
	if len(codes) == 0 {
		return text
	}
	return strings.TrimSpace(sentence(text) + " (" + strings.Join(codes, ", ") + ")")
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
	head := "QUESTION"
	if !d.Until.IsZero() && d.Default != "" {
		head += "; without an answer until " + t.at(d.Until, "2 Jan 15:04 MST") + ": " + d.Default
	}
	return notice{t.Warn, "?", head, d.Question, answers(d.Options, d.Default), false}
}

// at returns a moment as the reader's clock shows it.
func (t Theme) at(moment time.Time, layout string) string {
	if t.Zone == nil {
		return moment.UTC().Format(layout)
	}
	return moment.In(t.Zone).Format(layout)
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

// places returns the files among the evidence that a text does not name; events are for machines.
func places(text string, evidence []runevents.Reference) []string {
	var out []string
	for _, r := range evidence {
		if r.Path == "" || r.Line == 0 && strings.Contains(text, r.Path) {
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
