package notice

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/prevented"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// stopped returns the notice of a break. A soft break that a hard one replaces is over.
func (w *Words) stopped(subject string, d *runevents.WiggumBreak) []told {
	command := fmt.Sprintf("scaffoldwatch resume %s --why '…'", subject)
	if d.Trigger == runevents.TriggerIsolationFailure {
		command = "scaffoldwatch recover " + subject // only a person's choice ends it (WP-1)
	}
	return []told{{KindBreak, map[string]string{
		"what": words(string(d.Trigger)) + " (" + string(d.Kind) + ")", "why": joined(d.Reason, d.Present),
		"options": choices(d.Options, ""), "command": command,
	}, openBreak(subject), ""}}
}

// escalated returns the notice of an escalation. The escalation that each break raises
// adds nothing to the break and has none; its reminder does.
func escalated(e events.Event, d *runevents.EscalationRaised) []told {
	if d.To == runevents.RecipientOrchestrator || strings.HasPrefix(d.Issue, "break/") && !d.Reminder {
		return nil
	}
	id := e.ID
	if d.Reminder && d.Of != "" {
		id = d.Of
	}
	open := openEscalation(id)
	if strings.HasPrefix(d.Issue, "break/") {
		open = openBreak(e.Subject) // a resume answers it (RW-41)
	}
	return []told{{KindEscalation, map[string]string{
		"what": d.Issue, "why": d.Text, "options": choices(d.Options, ""), "command": "scaffoldwatch ack " + id,
	}, open, id}}
}

func ignored(subject string, d *runevents.HaltIgnored) []told {
	why := d.Reason
	if why == "" {
		why = fmt.Sprintf("turn %d came after the break %s", d.Turn, d.Break)
	}
	return []told{{KindHaltIgnored, map[string]string{"why": why, "command": "scaffoldwatch control " + subject}, "", ""}}
}

// denied returns the notice of a gate that only a person can open.
func denied(subject string, d *runevents.GateDecided) []told {
	if d.Decision != runevents.DecisionDeny || !runlist.Asks(d) {
		return nil
	}
	command, look := runlist.Opens(subject, d), ""
	if command == "" {
		look = "scaffoldwatch runs " + subject
	}
	return []told{{KindGate, map[string]string{
		"what": "the gate " + string(d.Gate), "why": joined(d.Why, "("+d.Rule+")"), "options": choices(d.Options, ""), "command": command, "look": look,
	}, openGate(subject, d), ""}}
}

func asked(subject string, d *runevents.ClarificationRequested) []told {
	what := ""
	if d.Default != "" && !d.Until.IsZero() {
		what = fmt.Sprintf("without an answer %s is taken at %s", d.Default, d.Until.Format(time.RFC3339Nano))
	}
	return []told{{KindClarification, map[string]string{
		"what": what, "why": d.Question, "options": choices(d.Options, d.Default),
		"command": fmt.Sprintf("scaffoldwatch answer %s %s OPTION", subject, d.RequestID),
	}, openQuestion(subject, d.RequestID), ""}}
}

// ended returns the notices of a completed run: its outcome for the operator, something to review for the
// team (PL-50).
func (w *Words) ended(d *runevents.RunCompleted) []told {
	outcome := strings.ToLower(strings.TrimSpace(d.Outcome))
	success := slices.Contains(w.Success, outcome)
	if slices.Contains(w.Quiet, outcome) || success && d.PRURL == "" {
		return nil
	}
	facts := func() map[string]string {
		return map[string]string{"why": quoted(d.Summary), "url": link(d.PRURL), "outcome": words(quote.Name(d.Outcome))}
	}
	list := []told{{KindRunEnded, facts(), "", ""}}
	if success {
		list = append(list, told{KindReview, facts(), "", ""})
	}
	return list
}

// interrupted returns the notice of an interrupt that people should know about at once: a credential, an
// injection, a destructive act.
func (w *Words) interrupted(d *sessionevents.InterruptFired) []told {
	if !slices.Contains(w.Interrupts, d.Detector) {
		return nil
	}
	return []told{{KindInterrupt, map[string]string{
		"what": d.Message, "why": d.Reason, "detector": d.Detector,
		"command": fmt.Sprintf("scaffoldwatch dismiss %s --why '…'", d.ID), "look": "scaffoldwatch report " + d.Session,
	}, "", ""}}
}

// prevented returns the notice of a call that the guard denied or secured first.
func (w *Words) prevented(e events.Event, d *sessionevents.GuardDecided) []told {
	c := prevented.Of(e, d)
	if !slices.Contains(w.Prevented, string(c.Outcome)) || prevented.Test(d) {
		return nil
	}
	return []told{{KindPrevented, map[string]string{
		"what": c.Heading(), "why": c.What(), "command": c.Next(), "look": "scaffoldwatch report " + d.Session,
	}, "", ""}}
}

// What a notice may wait for.
func openBreak(subject string) string    { return "break/" + subject }
func openEscalation(id string) string    { return "escalation/" + id }
func openQuestion(run, id string) string { return "question/" + run + "/" + id }
func openGate(run string, d *runevents.GateDecided) string {
	return fmt.Sprintf("gate/%s/%s/%d/%s/%s", run, d.Gate, d.Wave, d.Phase, d.AgentID)
}

// link returns text if it is the address of a page that is safe to show and follow, otherwise "".
func link(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.ContainsAny(u.Host, " \"<>`") {
		return ""
	}
	return u.String()
}
