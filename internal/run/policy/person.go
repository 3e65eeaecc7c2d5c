package policy

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CodeHaltIncomplete is the code of a person's halt without a name or reason (RW-33).
const CodeHaltIncomplete = "HALT-INCOMPLETE"

// CodeSelfRelease is the code of an agent that tried to release itself (RW-34).
const CodeSelfRelease = "SELF-RELEASE"

// haltedByAct is RW-33: a person halts a run, or one session.
var haltedByAct = Rule{ID: "RW-33", On: run.Types(runevents.TypeOperatorAct), Run: run.With(func(c *Context, act *runevents.OperatorAct) {
	if act.Act != runevents.ActHalt {
		return
	}
	by, why := strings.TrimSpace(act.By), strings.TrimSpace(act.Why)
	if by == "" || why == "" {
		j := c.judgement(CodeHaltIncomplete, "A halt needs who halts (by) and why; nothing was halted.")
		j.Rule = "RW-33"
		c.Warning(runevents.WarningIssued(j))
		return
	}
	request := runevents.WiggumBreak{
		Kind: runevents.BreakHard, Trigger: runevents.TriggerOperator, WIPAction: runevents.WIPCommit,
		Reason: settle.Sentence("Halted by " + by + ": " + why), Evidence: []string{c.Event.ID},
	}
	if act.Session != "" {
		request.Scope, request.Session = runevents.ScopeSession, act.Session
		if session := c.state.Sessions[act.Session]; session != nil {
			request.Turn = session.Turn
		}
	}
	c.RequestBreak(request)
})}

// wayOut matches the hook's description of what an agent tried. Other text would come
// from a publisher, not from the hook.
var wayOut = pattern.Must(`^[a-z' ]{1,60}$`)

// selfReleased is RW-34: an agent was refused a command of the operator, the operator's
// key, or the end of the watch. A person is notified once until it is acknowledged.
var selfReleased = Rule{ID: "RW-34", On: run.Types(sessionevents.TypeHookReceived), Run: run.With(func(c *Context, data *sessionevents.HookReceived) {
	if data.Answer == nil || data.Answer.Class != sessionevents.HookSelfRelease {
		return
	}
	what := "The agent of session " + data.Session + " tried what only a person may do"
	if wayOut.MatchString(data.Answer.Reason) {
		what += ": " + data.Answer.Reason
	}
	what += ". The call was denied."
	c.Violation(runevents.ViolationDetected(c.judgement(CodeSelfRelease, what)))
	const issue = "self-release"
	if slices.ContainsFunc(c.state.Escalations, func(e settle.Escalation) bool { return e.Issue == issue && e.Session == data.Session }) {
		return
	}
	c.Escalate(runevents.EscalationRaised{
		Layer: sessionevents.LayerPolicy, Issue: issue, To: runevents.RecipientUser, Run: data.Run, Session: data.Session,
		Text: what + " Read what it did before you answer.",
	})
})}
