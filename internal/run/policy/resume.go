package policy

import (
	"fmt"
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Codes of judgements about a resume (RW-34).
const (
	CodeResumeWithoutOperator = "RESUME-WITHOUT-OPERATOR"
	CodeResumeIncomplete      = "RESUME-INCOMPLETE"
	CodeResumeStale           = "RESUME-STALE"
	CodeResumeRun             = "RESUME-THE-RUN"
)

const resumeRule = "RW-34"

// resumed is RW-34: only an operator lets a halted run go on, saying who and why.
// A resume of a run that stands nowhere is crash recovery, which is the
// pipeline's (PL-10).
func (f *fold) resumed() {
	data, is := f.in.Event.Data.(*runevents.RunResumed)
	if !is {
		return
	}
	switch {
	case f.state.Control.State == runevents.ControlRunning:
		if f.operator() {
			f.unanswered()
		}
	case !f.operator():
		f.v.Violation(runevents.ViolationDetected(f.judged(CodeResumeWithoutOperator,
			fmt.Sprintf("The run is %s and was resumed without an operator's credential; it stays %s.", f.state.Control.State, f.state.Control.State))))
	case f.complete(data.By, data.Why):
		f.resumeRun(data.By, data.Why)
	}
}

// complete reports whether a resume says who and why.
func (f *fold) complete(by, why string) bool {
	if strings.TrimSpace(by) != "" && strings.TrimSpace(why) != "" {
		return true
	}
	f.v.Warning(runevents.WarningIssued(f.judged(CodeResumeIncomplete, "A resume needs who resumes (by) and why; nothing was resumed.")))
	return false
}

func (f *fold) judged(code, what string) runevents.Judgement {
	return runevents.Judgement{Code: code, Rule: resumeRule, What: what, Evidence: []runevents.Reference{{Event: f.in.Event.ID}}}
}

// recovered is WP-2's way back: an operator chose how to recover.
func (f *fold) recovered() {
	data, is := f.in.Event.Data.(*runevents.RecoverySelected)
	open := f.state.Control.Open
	if !is || !f.operator() || open == nil || !slices.Contains(recoverable, open.Trigger) {
		return
	}
	by, why := data.By, data.Why
	if by == "" {
		by = named(data.Actor.ID)
	}
	if why == "" {
		why = fmt.Sprintf("recovery option %d", data.Option)
	}
	f.resumeRun(by, why)
}

var recoverable = []runevents.BreakTrigger{
	runevents.TriggerIsolationFailure, runevents.TriggerAutonomousRecovery, runevents.TriggerMergedWithoutGate,
}

// resumeRun lets the run go on: the counters behind its break, and behind what was
// noted on it, begin again; history stays.
func (f *fold) resumeRun(by, why string) {
	s := f.state
	f.unhealed(s.Control.Open)
	f.reset(s.Control.Open)
	f.reopen(&s.Control, by, why)
	s.Checkpoint.stop()
	for _, session := range s.Sessions {
		session.Drained = false
		if session.Control.Open == nil {
			session.Ignored = 0
		}
	}
	f.startClock()
}

func (f *fold) resumeSession(id, by, why string) {
	session := f.state.Sessions[id]
	session.Ignored = 0
	f.reopen(&session.Control, by, why)
}

func (f *fold) reopen(c *Control, by, why string) {
	if c.Open != nil {
		f.answered(c.Open.ID)
	}
	c.State, c.Open = runevents.ControlRunning, nil
	c.Who, c.Why = shortened(by, f.Kept.Text), shortened(why, f.Kept.Text)
	f.state.changed = true
}

// reset begins the counters of a break's triggers again (RW-34).
func (f *fold) reset(open *Open) {
	if open == nil {
		return
	}
	f.restart(open.Trigger)
	for _, trigger := range open.Noted {
		f.restart(trigger)
	}
}

func (f *fold) restart(trigger runevents.BreakTrigger) {
	s := f.state
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
