package pipeline

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// planIncomplete is PL-38a: a plan that somebody else can carry out without guessing
// says what is not done, what must stay true, what was decided against and what can go
// wrong. Where the notes name a document the plan may be in there, which nobody saw.
var planIncomplete = Rule{ID: "PL-38a", On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context,
	d *runevents.PhaseCompleted,
) {
	if !c.config.pipelineWorkflow(c.phase.Workflow) || !has(d.Phase, c.config.PlanContents.Phases) {
		return
	}
	text := d.Notes
	for _, a := range d.Artifacts {
		text += "\n" + string(document(a))
	}
	if strings.TrimSpace(text) == "" || c.config.PlanContents.Documents.MatchString(text) {
		return
	}
	var missing []string
	for _, part := range c.config.PlanContents.Parts {
		if !part.Words.MatchString(text) {
			missing = append(missing, part.Name)
		}
	}
	if len(missing) > 0 {
		c.warning(c.phaseJudgement("PLAN-INCOMPLETE", "PL-38a", d.Phase,
			"The plan that phase %s hands over does not cover %s.", short(d.Phase), strings.Join(missing, ", ")))
	}
})}
