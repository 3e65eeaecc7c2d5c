package intent

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	statusUnchecked    = "unchecked"
	statusContradicted = "contradicted"
)

// assumptions is PL-38: they come before the first edit, and each is checked.
func (c *Context) assumptions(data *runevents.AssumptionsStated) {
	s := c.state
	if s.Assumptions == "" {
		s.Assumptions = c.Event.ID
		if edit := s.FirstEdit; edit != nil {
			c.warnOnce("PL-38", CodeAssumptionsLate, "", fmt.Sprintf("Assumptions were stated after the first edit (%s).", edit.Path), edit.Event)
		}
	}
	for _, a := range data.Assumptions {
		switch {
		case a.Status == statusContradicted:
			s.Log.Tally.ContradictedB++
		case unchecked(a):
			c.warnOnce("PL-38", CodeUnchecked, a.Assumption, fmt.Sprintf("Nobody has checked the assumption %q%s.", c.text(a.Assumption), howTo(a)))
		}
	}
}

// unchecked is what says so, or says nothing and lacks the evidence or the query
// that could prove it wrong.
func unchecked(a runevents.Assumption) bool {
	return a.Status == statusUnchecked || a.Status == "" && (strings.TrimSpace(a.Evidence) == "" || strings.TrimSpace(a.FalsificationQuery) == "")
}

func howTo(a runevents.Assumption) string {
	if query := strings.TrimSpace(a.FalsificationQuery); query != "" {
		return "; this would show it to be wrong: " + clip(query, 200)
	}
	return " and no query is given that would show it to be wrong"
}

// surfaced: a refactoring or an architectural task states its assumptions before
// the first edit. Where intent is skipped that is PL-37's.
func (c *Context) surfaced() {
	if s := c.state; !s.Skip && c.structuralTask() && s.Assumptions == "" {
		c.warnOnce("PL-38", CodeAssumptionsMissed, "", fmt.Sprintf("Work on a %s task began and no assumptions were stated.", s.Checkpoint.TaskType), s.Checkpoint.Event)
	}
}

// Signal reports, in the evaluator, what an event alone shows: a contradicted
// assumption is a wrong prior, Subtype B (PL-38).
func (c *Config) Signal(v *run.Context) {
	data, is := v.Event.Data.(*runevents.AssumptionsStated)
	if !is {
		return
	}
	for _, a := range data.Assumptions {
		if a.Status != statusContradicted {
			continue
		}
		what := clip(a.Assumption, c.Kept.Text)
		v.Signal(sessionevents.Signal{
			Layer: sessionevents.LayerPipeline, Detector: "PL-38", Subclass: "B", Subject: what, Session: data.Session, Confidence: 1,
			Events: []string{v.Event.ID}, Message: fmt.Sprintf("The code contradicts %q. Read it again before you go on.", clip(what, 120)), Reason: because(a, c.Kept.Text),
		})
	}
}

func because(a runevents.Assumption, most int) string {
	if a.Evidence == "" {
		return "The agent's assumption was contradicted: the ticket is clear, its picture of the code is not."
	}
	return fmt.Sprintf("The agent's assumption was contradicted (%s): the ticket is clear, its picture of the code is not.", clip(a.Evidence, most))
}
