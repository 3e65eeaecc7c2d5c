package policy

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Failures counts consecutive failures. Only a success of the same kind resets the count,
// whatever else happens in between (RW-30).
type Failures struct {
	Count  int      `json:"count,omitempty"`
	Events []string `json:"events,omitempty"` // the latest ones
}

// agentFailures is RW-30: agents fail or time out consecutively.
var agentFailures = Rule{ID: "RW-30", On: run.Types(runevents.TypeAgentCompleted), Run: run.With(func(c *Context, data *runevents.AgentCompleted) {
	outcome := data.Outcome
	if outcome == runevents.RunOutcomeTimeout && data.Commits != nil && *data.Commits > 0 {
		outcome = runevents.RunOutcomeSuccess // it timed out but committed work: that is progress (IN-13)
	}
	if c.state.Agents.again(c.Event.ID, outcome, c.config.Failures.Agents) {
		c.requestBreak(runevents.TriggerAgentFailures, fmt.Sprintf("%d agents in a row failed or timed out, the last one %s.", c.state.Agents.Count, named(agentName(data.AgentID, data.Letter))), c.state.Agents.Events)
	}
})}

// taskFailures is RW-30: tasks fail consecutively.
var taskFailures = Rule{ID: "RW-30", On: run.Types(runevents.TypeTaskCompleted), Run: run.With(func(c *Context, data *runevents.TaskCompleted) {
	if c.state.Tasks.again(c.Event.ID, data.Outcome, c.config.Failures.Tasks) {
		c.requestBreak(runevents.TriggerTaskFailures, fmt.Sprintf("%d tasks in a row failed, the last one %s.", c.state.Tasks.Count, named(data.Task)), c.state.Tasks.Events)
	}
})}

// again counts an outcome and reports whether the count reached the limit.
func (f *Failures) again(event, outcome string, limit int) bool {
	switch outcome {
	case runevents.RunOutcomeSuccess:
		*f = Failures{}
	default: // failure, timeout, or an unknown word (EV-3a)
		f.Count++
		f.Events = text.Newest(append(f.Events, event), limit)
		return f.Count >= limit
	}
	return false
}
