package run

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	corerun "github.com/scaffoldwatch/scaffoldwatch/internal/run/policy"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// printVerdict prints what was decided about an event, and the state of the run.
func printVerdict(r *cli.Call, run string, v client.Verdict, output string) error {
	if output == "json" {
		return printVerdictJSON(r.Stdout, run, v)
	}
	if err := printDecisions(r, v); err != nil {
		return err
	}
	_, err := fmt.Fprintln(r.Stdout, standing(run, run, runevents.Control{State: v.State, Break: v.Break}, v))
	return err
}

// printDecisions prints what was decided about an event, one line each.
func printDecisions(r *cli.Call, v client.Verdict) error {
	for _, e := range v.Decisions {
		if text := tellDecision(e.Data); text != "" {
			if _, err := fmt.Fprintln(r.Stdout, terminal.Clean(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// standing returns the state of a run, or of a session of a run, after a verdict, and what to do about it.
func standing(id, run string, now runevents.Control, v client.Verdict) string {
	text := fmt.Sprintf("%s is %s", id, now.State) // the lines before it say by whom or what
	var trigger runevents.BreakTrigger
	for _, b := range v.Breaks() {
		trigger = b.Trigger
	}
	switch now.State {
	case runevents.ControlRunning:
		return text
	case runevents.ControlDraining:
		return text + ": finish the current task, then stop"
	case runevents.ControlUnknown:
		if now.Why != "" {
			return text + ": " + now.Why
		}
		return text + ": nothing was decided about it yet"
	}
	if now.State == runevents.ControlPaused && (now.Question != "" || asks(v)) {
		return text + "; to let it continue: scaffoldwatch answer " + id
	}
	if warned(v, corerun.CodeResumeRun) { // it is halted with its run
		id = run
	}
	return text + "; to let it continue: " + runlist.WayOut(id, trigger)
}

func warned(v client.Verdict, code string) bool {
	return slices.ContainsFunc(v.Warnings(), func(w *runevents.WarningIssued) bool { return w.Code == code })
}

// asks reports whether a paused run waits for an answer (PL-33).
func asks(v client.Verdict) bool {
	return slices.ContainsFunc(client.DecisionsOf[runevents.ClarificationRequested](v), func(q *runevents.ClarificationRequested) bool { return q.Default == "" }) ||
		warned(v, corerun.CodeResumeAnswer)
}

// tellDecision returns a decision on one line, "" if the state already shows it.
func tellDecision(data any) string {
	switch d := data.(type) {
	case *runevents.WiggumBreak:
		return tellBreak(d)
	case *runevents.BreakNoted:
		return fmt.Sprintf("also %s: %s", d.Trigger, d.Reason)
	case *runevents.GateDecided:
		return fmt.Sprintf("gate %s: %s (%s): %s", d.Gate, d.Decision, d.Rule, d.Why)
	case *runevents.ViolationDetected:
		return fmt.Sprintf("violation %s (%s): %s", d.Code, d.Rule, d.What)
	case *runevents.WarningIssued:
		return fmt.Sprintf("warning %s (%s): %s", d.Code, d.Rule, d.What)
	case *runevents.CorrectionIssued:
		return fmt.Sprintf("%s %s (step %d of %s): %s", d.Action, whom(d.Target), d.Step, d.Issue, d.Text)
	case *runevents.EscalationRaised:
		return fmt.Sprintf("for %s: %s: %s", d.To, d.Issue, d.Text)
	case *runevents.PolicyBudget:
		return fmt.Sprintf("budget: %g of %g %s spent: %s", d.Spent, d.Limit, d.Unit, d.Action)
	case *runevents.PolicyCheckpoint:
		return fmt.Sprintf("checkpoint: %s: %s", d.Decision, strings.Join(d.Steps, "; "))
	case *runevents.ClarificationRequested:
		return fmt.Sprintf("question %s: %s", d.RequestID, d.Question)
	case *sessionevents.InterruptFired:
		return fmt.Sprintf("to the agent of %s: %s", d.Session, d.Message)
	case *runevents.HaltIgnored:
		return "halt ignored: " + d.Reason
	}
	return ""
}

func tellBreak(b *runevents.WiggumBreak) string {
	text := fmt.Sprintf("%s break %s: %s", b.Kind, b.Trigger, b.Reason)
	if b.WIPAction != "" && b.WIPAction != runevents.WIPNone {
		text = fmt.Sprintf("%s; work in progress: %s", strings.TrimSuffix(text, "."), b.WIPAction)
	}
	if b.RevertSHA != "" {
		text += " " + b.RevertSHA
	}
	return text
}

func whom(to runevents.Recipient) string {
	if to.ID == "" {
		return string(to.Kind)
	}
	return string(to.Kind) + " " + to.ID
}

// verdictJSON is the JSON form of a verdict.
type verdictJSON struct {
	Run       string                 `json:"run"`
	Event     string                 `json:"event"`
	Type      events.Type            `json:"type"`
	State     runevents.ControlState `json:"state"`
	Break     string                 `json:"break,omitempty"`
	Decisions []json.RawMessage      `json:"decisions"` // CloudEvents, in order
}

func printVerdictJSON(out io.Writer, run string, v client.Verdict) error {
	decisions := make([]json.RawMessage, len(v.Decisions))
	for i, e := range v.Decisions {
		text, err := events.MarshalStructured(e)
		if err != nil {
			return err
		}
		decisions[i] = text
	}
	return json.NewEncoder(out).Encode(verdictJSON{Run: run, Event: v.Event, Type: v.Type, State: v.State, Break: v.Break, Decisions: decisions})
}
