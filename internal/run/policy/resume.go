package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Codes of the conclusions about a resume (RW-34).
const (
	CodeResumeWithoutOperator = "RESUME-WITHOUT-OPERATOR"
	CodeResumeIncomplete      = "RESUME-INCOMPLETE"
	CodeResumeStale           = "RESUME-STALE"
	CodeResumeRun             = "RESUME-THE-RUN"
)

// CodeResumeAnswer is the code of a resume where the run needs an answer to continue
// (PL-33).
const CodeResumeAnswer = "RESUME-NEEDS-ANSWER"

const resumeRule = "RW-34"

// resumed is RW-34: only an operator, who gives a name and a reason, lets a halted run
// continue. A resume of a run that is not stopped is crash recovery, which the pipeline
// handles (PL-10).
var resumed = Rule{ID: "RW-34", On: run.Types(runevents.TypeRunResumed), Run: run.With(func(c *Context, data *runevents.RunResumed) {
	switch {
	case c.state.Control.State == runevents.ControlRunning:
		if c.ByOperator() {
			c.unanswered()
		}
	case !c.ByOperator():
		c.Violation(runevents.ViolationDetected(c.judgement(CodeResumeWithoutOperator,
			fmt.Sprintf("The run is %s and was resumed without an operator's credential; it stays %s.", c.state.Control.State, c.state.Control.State))))
	case c.complete(data.By, data.Why):
		c.resumeRun(data.By, data.Why)
	}
})}

// complete reports whether a resume has a name and a reason.
func (c *Context) complete(by, why string) bool {
	if strings.TrimSpace(by) != "" && strings.TrimSpace(why) != "" {
		return true
	}
	c.Warning(runevents.WarningIssued(c.judgement(CodeResumeIncomplete, "A resume needs who resumes (by) and why; nothing was resumed.")))
	return false
}

// recovered is the recovery of WP-2: an operator chose how to recover (RW-34).
var recovered = Rule{ID: "RW-34", On: run.Types(runevents.TypeRecoverySelected), Run: run.With(func(c *Context, data *runevents.RecoverySelected) {
	open := c.state.Control.Open
	if !c.ByOperator() || open == nil || !slices.Contains(recoverable, open.Trigger) {
		return
	}
	by, why := data.By, data.Why
	if by == "" {
		by = cmp.Or(data.Actor.ID, "without a name")
	}
	if why == "" {
		why = fmt.Sprintf("recovery option %d", data.Option)
	}
	c.resumeRun(by, why)
})}

// recoverable lists the triggers of the breaks that choosing a recovery resumes from.
var recoverable = []runevents.BreakTrigger{
	runevents.TriggerIsolationFailure, runevents.TriggerAutonomousRecovery, runevents.TriggerMergedWithoutGate,
}

// resumeRun lets the run continue: the counters of its break, and of the triggers noted
// on it, start again; history is kept.
func (c *Context) resumeRun(by, why string) {
	s := c.state
	c.unhealed(s.Control.Open)
	c.state.reset(s.Control.Open)
	c.reopen(&s.Control, by, why)
	s.Checkpoint.stop()
	for _, session := range s.Sessions {
		if session.Control.Open == nil {
			session.Ignored = 0
		}
	}
	c.startClock()
}

func (c *Context) resumeSession(id, by, why string) {
	session := c.state.Sessions[id]
	session.Ignored = 0
	c.reopen(&session.Control, by, why)
}

// reopen lets a run or session continue; the escalation of its break is answered.
func (c *Context) reopen(control *settle.Control, by, why string) {
	if control.Open != nil {
		c.state.Answered(control.Open.ID)
	}
	control.State, control.Open = runevents.ControlRunning, nil
	control.Who, control.Why = text.Cut(by, c.config.Kept.Text), text.Cut(why, c.config.Kept.Text)
	c.state.Changed()
}

// reset restarts the counters of a break's triggers (RW-34).
func (s *State) reset(open *settle.Open) {
	if open == nil {
		return
	}
	s.restart(open.Trigger)
	for _, trigger := range open.Noted {
		s.restart(trigger)
	}
}

func (s *State) restart(trigger runevents.BreakTrigger) {
	switch trigger {
	case runevents.TriggerAgentFailures:
		s.Agents = Failures{}
	case runevents.TriggerTaskFailures:
		s.Tasks = Failures{}
	case runevents.TriggerRepeatedShadow:
		s.Shadows = nil
	case runevents.TriggerOscillating:
		s.Cycles.Back = Return{}
	case runevents.TriggerLowConvergence:
		s.Cycles.Low = Streak{}
	case runevents.TriggerGrowingFindings:
		s.Cycles.Growth = Streak{}
	case runevents.TriggerBudget95, runevents.TriggerBudgetExhausted:
		s.Spending.Rearmed = true
	}
}
