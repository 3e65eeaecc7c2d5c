package intent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// rivalNamed is PL-32: a checkpoint for building, reworking or designing something names
// at least one other reading of the task.
var rivalNamed = Rule{ID: "PL-32", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context,
	data *runevents.IntentCheckpoint,
) {
	if c.state.Skip || !slices.Contains(c.config.RivalTasks, data.TaskType) {
		return
	}
	for _, rival := range data.RivalInterpretations {
		if rival = strings.TrimSpace(rival); rival != "" && !strings.EqualFold(rival,
			strings.TrimSpace(data.Interpretation)) {
			return
		}
	}
	c.warnOnce("PL-32", CodeNoRival, "",
		fmt.Sprintf("The checkpoint names no rival interpretation; its task type is %s.", clip(data.TaskType, 40)))
})}

// enoughContext is PL-38a: the sources consulted before the checkpoint. Tier 1 is
// required for every task, Tier 2 if the ticket leaves something open; a source that is
// not configured does not count as missing.
var enoughContext = Rule{ID: "PL-38a", On: run.Types(runevents.TypeIntentCheckpoint), Run: run.With(func(c *Context,
	data *runevents.IntentCheckpoint,
) {
	if c.state.Skip {
		return
	}
	b, sources := readBreakdown(data.ConfidenceBreakdown), c.state.Sources
	if b.tier1 == Empty && sources.Tier1 != Given && !sources.Tried1 {
		c.warnOnce("PL-38a", CodeContextIncomplete, "1",
			"Tier 1 (epic, acceptance criteria, linked issues) was not asked before the checkpoint.", sources.Event)
	}
	unclear := c.state.Ticket != nil && !c.state.Confirmed &&
		(c.state.Ticket.WordSignals > 0 || c.state.Ticket.NoCriteria)
	if unclear && b.tier2 == Empty && !sources.Tried2 {
		c.warnOnce("PL-38a", CodeContextIncomplete, "2",
			"The ticket leaves something open and Tier 2 (chat, documents, history) was "+
				"never searched before the checkpoint.", c.state.ticketEvent())
	}
})}

// inconsistent reports whether plans that were made independently disagree; missing
// statements agree with everything.
func (c *Config) inconsistent(said any) bool {
	switch said := said.(type) {
	case bool:
		return !said
	case string:
		said = strings.ToLower(strings.TrimSpace(said))
		return said != "" && !slices.Contains(c.PlansAgree, said)
	}
	return false
}
