package intent

import (
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	statusUnchecked    = "unchecked"
	statusContradicted = "contradicted"
)

// assumptionsLate is PL-38: assumptions are stated before the first edit.
var assumptionsLate = Rule{ID: "PL-38", On: run.Types(runevents.TypeAssumptionsStated), Run: run.With(func(c *Context, _ *runevents.AssumptionsStated) {
	s := c.state
	if s.Assumptions != "" {
		return
	}
	s.Assumptions = c.Event.ID
	if edit := s.FirstEdit; edit != nil {
		c.warnOnce("PL-38", CodeAssumptionsLate, "", fmt.Sprintf("Assumptions were stated after the first edit (%s).", edit.Path), edit.Event)
	}
})}

// assumptionsChecked is PL-38: each assumption is checked.
var assumptionsChecked = Rule{ID: "PL-38", On: run.Types(runevents.TypeAssumptionsStated), Run: run.With(func(c *Context, data *runevents.AssumptionsStated) {
	for _, a := range data.Assumptions {
		switch {
		case a.Status == statusContradicted:
			c.state.Log.Tally.ContradictedB++
		case unchecked(a):
			c.warnOnce("PL-38", CodeUnchecked, a.Assumption, fmt.Sprintf("Nobody has checked the assumption %s%s.", quote.Passage(c.config.text(a.Assumption)), howTo(a)))
		}
	}
})}

// unchecked reports whether an assumption is marked unchecked, or is unmarked and lacks
// evidence or a query that would falsify it.
func unchecked(a runevents.Assumption) bool {
	return a.Status == statusUnchecked || a.Status == "" && (strings.TrimSpace(a.Evidence) == "" || strings.TrimSpace(a.FalsificationQuery) == "")
}

func howTo(a runevents.Assumption) string {
	if query := strings.TrimSpace(a.FalsificationQuery); query != "" {
		return "; this would show it to be wrong: " + quote.Passage(clip(query, 200))
	}
	return " and no query is given that would show it to be wrong"
}

// assumptionsMissed is PL-38: a refactoring or architectural task states its
// assumptions before the first edit. If intent resolution is skipped, PL-37 applies
// instead.
var assumptionsMissed = Rule{ID: "PL-38", On: working, Run: func(c *Context) {
	if s := c.state; c.working && !s.Skip && c.config.structuralTask(s.Checkpoint) && s.Assumptions == "" {
		c.warnOnce("PL-38", CodeAssumptionsMissed, "", fmt.Sprintf("Work on a %s task began and no assumptions were stated.", quote.Name(s.Checkpoint.TaskType)), s.Checkpoint.Event)
	}
}}

// wrongPrior is PL-38 in the evaluator: a contradicted assumption is a wrong prior,
// Subtype B.
var wrongPrior = Rule{ID: "PL-38", On: run.Types(runevents.TypeAssumptionsStated), Run: run.With(func(c *Context, data *runevents.AssumptionsStated) {
	for _, a := range data.Assumptions {
		if a.Status != statusContradicted {
			continue
		}
		what := c.config.text(a.Assumption)
		c.Signal(sessionevents.Signal{
			Layer: sessionevents.LayerPipeline, Detector: "PL-38", Subclass: "B", Subject: what, Session: data.Session, Confidence: 1,
			Events: []string{c.Event.ID}, Message: fmt.Sprintf("The code contradicts %s. Read it again before you go on.", quote.Passage(clip(what, 120))), Reason: because(a, c.config.Kept.Text),
		})
	}
})}

func because(a runevents.Assumption, most int) string {
	if a.Evidence == "" {
		return "The agent's assumption was contradicted: the ticket is clear, its picture of the code is not."
	}
	return fmt.Sprintf("The agent's assumption was contradicted (%s): the ticket is clear, its picture of the code is not.", quote.Passage(clip(a.Evidence, most)))
}
