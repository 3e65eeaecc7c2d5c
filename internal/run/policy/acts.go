package policy

import (
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
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
