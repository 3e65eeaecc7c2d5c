package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// resumedByAct is RW-34 by operator.act, for a run or a session.
var resumedByAct = Rule{ID: "RW-34", On: run.Types(runevents.TypeOperatorAct), Run: run.With(func(c *Context, data *runevents.OperatorAct) {
	if data.Act != runevents.ActResume {
		return
	}
	control := &c.state.Control
	session := c.state.Sessions[data.Session]
	if data.Session != "" {
		if session == nil {
			return
		}
		control = &session.Control
	}
	if control.State == runevents.ControlRunning || control.State == "" {
		if session == nil {
			c.unanswered()
		}
		c.resumeRejected(session)
		return
	}
	if !c.complete(data.By, data.Why) {
		return
	}
	if !meant(data, control.Open) {
		c.Warning(runevents.WarningIssued(c.judgement(CodeResumeStale, "The resume names a break that is not the open one; nothing was resumed.")))
		return
	}
	if session != nil {
		c.resumeSession(data.Session, data.By, data.Why)
		return
	}
	c.state.Place.Completed = false
	c.resumeRun(data.By, data.Why)
})}

// resumeRejected explains why a session that has no break of its own stays halted.
func (c *Context) resumeRejected(session *settle.Session) {
	if state := c.state.Standing().State; session != nil && control.Stops(state, control.Task) {
		c.Warning(runevents.WarningIssued(c.judgement(CodeResumeRun, fmt.Sprintf("The session is %s with its run; resume the run. Nothing was resumed.", state))))
	}
}

// meant reports whether an act is about the open break: it names no break, this one, or
// the one it replaced.
func meant(data *runevents.OperatorAct, open *settle.Open) bool {
	names := []string{"", data.Run, data.Session}
	if open != nil {
		names = append(names, open.ID, open.Upgraded)
	}
	return slices.Contains(names, data.Target)
}

// unanswered warns an operator who tries to resume a run that needs an answer to
// continue.
func (c *Context) unanswered() {
	if question := c.state.Question; question != nil {
		c.Warning(runevents.WarningIssued(c.judgement(CodeResumeAnswer,
			fmt.Sprintf("The run waits for an answer to clarification %s; a resume is none, and the run stays paused.", question.ID))))
	}
}

// State holds the facts about a group's run, apart from the decisions about it. In the
// group of a session without a run it holds that session alone.
type State struct {
	settle.State

	Place      Place      `json:"place,omitzero"`
	Agents     Failures   `json:"agent_failures,omitzero"`
	Tasks      Failures   `json:"task_failures,omitzero"`
	Shadows    []Repeats  `json:"shadows,omitempty"`
	Suite      Suite      `json:"suite,omitzero"`
	Spending   Spending   `json:"spending,omitzero"`
	Checkpoint Checkpoint `json:"checkpoint,omitzero"`
	Cycles     Cycles     `json:"cycles,omitzero"`
	Unknown    []string   `json:"unknown,omitempty"` // unknown words that were warned about
	Ladder     []Issue    `json:"ladder,omitempty"`

	// judged is the cycle that the event completed. It is never set between two events.
	judged *runevents.CycleJudged
}

// named returns a name as it is written in a sentence.
func named(name string) string {
	if name == "" {
		return "without a name"
	}
	return quote.Name(name)
}

// agentName returns an agent's id, or its letter in the wave.
func agentName(id, letter string) string {
	if id == "" {
		return letter
	}
	return id
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func minutes(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

// requestBreak asks settle for a break caused by trigger; the rule data hold the other
// fields for this trigger. A run that has ended is no longer stopped.
func (c *Context) requestBreak(trigger runevents.BreakTrigger, reason string, evidence []string) {
	if c.state.Place.Completed {
		return
	}
	c.RequestBreak(runevents.WiggumBreak{Kind: c.config.Breaks[string(trigger)].Kind, Trigger: trigger, Reason: reason, Evidence: slices.Concat([]string{}, evidence)})
}

// judgement returns a finding about the event itself.
func (r report) judgement(code, what string) runevents.Judgement {
	return runevents.Judgement{Code: code, Rule: resumeRule, What: what, Evidence: []runevents.Reference{{Event: r.Event.ID}}}
}

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
