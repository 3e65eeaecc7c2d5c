package policy

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Failures counts failures in a row; only a success of the same kind begins
// again, whatever else happens between them (RW-30).
type Failures struct {
	Count  int      `json:"count,omitempty"`
	Events []string `json:"events,omitempty"` // the last of them
}

// agentFailures is RW-30: agents that fail or time out in a row.
func (f *fold) agentFailures() {
	data, is := f.in.Event.Data.(*runevents.AgentCompleted)
	if is && f.failsAgain(&f.state.Agents, data.Outcome, f.Failures.Agents) {
		f.breaks(runevents.TriggerAgentFailures, fmt.Sprintf("%d agents in a row failed or timed out, the last one %s.", f.state.Agents.Count, named(agentName(data.AgentID, data.Letter))), f.state.Agents.Events)
	}
}

// taskFailures is RW-30: tasks that fail in a row.
func (f *fold) taskFailures() {
	data, is := f.in.Event.Data.(*runevents.TaskCompleted)
	if is && f.failsAgain(&f.state.Tasks, data.Outcome, f.Failures.Tasks) {
		f.breaks(runevents.TriggerTaskFailures, fmt.Sprintf("%d tasks in a row failed, the last one %s.", f.state.Tasks.Count, named(data.Task)), f.state.Tasks.Events)
	}
}

func (f *fold) failsAgain(count *Failures, outcome string, limit int) bool {
	switch outcome {
	case runevents.RunOutcomeSuccess:
		*count = Failures{}
	case runevents.RunOutcomeFailure, runevents.RunOutcomeTimeout:
		count.Count++
		count.Events = keepLast(append(count.Events, f.in.Event.ID), limit)
		return count.Count >= limit
	}
	return false
}

// breaks wishes a break of a trigger; what else it says comes from the rule data.
// A run that is over is not stopped any more: late reports only tell.
func (f *fold) breaks(trigger runevents.BreakTrigger, reason string, evidence []string) {
	if f.state.Place.Completed {
		return
	}
	f.v.Break(runevents.WiggumBreak{Kind: f.Breaks[string(trigger)].Kind, Trigger: trigger, Reason: reason, Evidence: append([]string{}, evidence...)})
}

// named is a name for a sentence.
func named(name string) string {
	if name == "" {
		return "without a name"
	}
	return name
}
