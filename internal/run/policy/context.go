package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/settle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Context is an event on its way through the rules. It has a method for each step of each rule, in the file of its
// idea, since a rule about runs has one shape, Rule and Context: that is why they are more than 25.
type Context struct {
	report
	config *Config
	state  *State
	// score compares the ending cycle with the previous one, nil if there is nothing to
	// compare (RW-31).
	score *float64
}

// report is an event with the ways in which the layer reports on it.
type report struct{ *run.Context }

// Rule is one rule about a run as a whole.
type Rule = run.Rule[*Context]

// Decide folds an event into the state and adds the conclusions of the rules.
func (c *Config) Decide(s *State, event *run.Context) {
	if len(layerRules.On(event.Event.Type)) == 0 || event.RunEvent && !s.Begin(event.Event.Subject) {
		return
	}
	layerRules.Run(&Context{report: report{event}, config: c, state: s})
}

// Settle turns the conclusions of all layers into decisions, once the last layer has run.
func (c *Config) Settle(s *State, event *run.Context, out *step.Emitter) {
	c.waits(s, event)
	halted := s.Control.State == runevents.ControlHalted
	c.Config.Decide(&s.State, event, facts{c, s}, out)
	if !halted && s.Control.State == runevents.ControlHalted {
		s.Checkpoint.stop()
	}
}

// waits is PL-33: the run, and its clock, is paused while it waits for an answer that has
// no default.
func (c *Config) waits(s *State, event *run.Context) {
	if !s.Ask(event.Question) {
		return
	}
	if event.Question != nil {
		s.Checkpoint.stop()
		return
	}
	(&Context{report: report{event}, config: c, state: s}).startClock()
}

// facts describes the run to settle.
type facts struct {
	config *Config
	state  *State
}

var _ settle.Facts = facts{}

// TasksCompleted returns the number of completed tasks of the run.
func (f facts) TasksCompleted() int { return f.state.Place.Tasks }

// Unresolved returns the open findings of the last cycle and of the reviews since, the
// most severe first (RW-32).
func (f facts) Unresolved() []runevents.Finding { return f.config.unresolved(f.state) }

// RunState returns the progress of the run (RW-32).
func (f facts) RunState() runevents.RunState { return f.state.runState() }

// Best describes the best cycle or, in a run without cycles, the completed work.
func (f facts) Best() string {
	if best := f.state.Cycles.Best; best != nil {
		return best.String()
	}
	return f.state.Place.result()
}

// layerRules apply to an event in this order. Rules that only fold come first, so that
// the others see the current state of the run; after them, hard breaks come before soft
// ones.
var layerRules = run.List(
	turnEnded,
	haltIgnoredBySession,
	sessionOpened,
	sessionClosed,

	refused,
	accepted,
	approvedUnknown,
	unknownValues,
	haltIgnoredByRun, // uses the state before the event
	lastEvents,
	place,
	leaving,
	quality,
	resumed,
	recovered,
	agentFailures,
	taskFailures,
	brokenSuite,
	reviewFindings,
	cycleEnded,
	oscillating,
	identicalFindings,
	converging,
	budgetThresholds,
	reviewerModels,
	workSaved,
	checkpointDone,
	taskCheckpoint,
	keepTime,

	issueSeen,
	repeatedShadow,
	reportedShadow,
	ladder,

	acknowledged,
	resumedByAct,
	haltedByAct,
	selfReleased,
	timedCheckpoint,
	reminder,
)

// CodeUnknownValue is the warning about a word that an open vocabulary does not know.
const CodeUnknownValue = "UNKNOWN-VALUE"

// unknownValues is EV-3a: an unknown word of a publisher is kept, read as the worse
// meaning, and warned about once.
var unknownValues = Rule{ID: "EV-3a", On: run.EveryRunEvent(), Run: func(c *Context) {
	for _, one := range events.UnknownValues(c.Event.Data) {
		value := text.Cut(one.Value, maxUnknown)
		key := one.Field + "=" + value
		if slices.Contains(c.state.Unknown, key) {
			continue
		}
		c.state.Unknown = text.Newest(append(c.state.Unknown, key), c.config.Kept.Findings)
		warning := runevents.WarningIssued(c.judgement(CodeUnknownValue,
			fmt.Sprintf("%s of %s is %s, which has no meaning here; it is read as the worse of what it could mean. Known are %s.",
				strings.TrimPrefix(one.Field, "data."), c.Event.Type, quote.Text(value), strings.Join(one.Known, ", "))))
		warning.Rule = "EV-3a"
		c.Warning(warning)
	}
}}

// maxUnknown bounds the quoted word of a publisher.
const maxUnknown = 60

// reminder is RW-41: an escalation that is still open is raised again, once.
var reminder = Rule{ID: "RW-41", On: run.Types(events.TypeTimerExpired), Run: run.With(func(c *Context, data *events.TimerExpired) {
	id, is := settle.ReminderOf(data.Name)
	if !is {
		return
	}
	for i := range c.state.Escalations {
		if e := &c.state.Escalations[i]; e.ID == id && !e.Reminded {
			e.Reminded = true
			c.ConcludeAbout(e.Subject, runevents.TypeEscalationRaised, &runevents.EscalationRaised{
				Layer: e.Layer, Issue: e.Issue, To: e.To, Text: e.Text, Options: slices.Clone(e.Options),
				Run: e.Run, Session: e.Session, Reminder: true, Of: e.ID,
			})
			return
		}
	}
})}

// acknowledged is RW-41: an operator closes the escalation that the act names by its own
// id, its reminder or its break. An act without a target closes all escalations of the
// session or run.
var acknowledged = Rule{ID: "RW-41", On: run.Types(runevents.TypeOperatorAct), Run: run.With(func(c *Context, act *runevents.OperatorAct) {
	if act.Act != runevents.ActAck {
		return
	}
	s := c.state
	all := act.Target == "" || act.Target == act.Run || act.Target == act.Session
	for _, control := range s.Controls() {
		open := control.Open
		if open == nil || !all && act.Target != open.ID && !s.reports(act.Target, open.ID) {
			continue
		}
		if act.Session == "" {
			c.unhealed(open)
		}
	}
	s.Escalations = slices.DeleteFunc(s.Escalations, func(e settle.Escalation) bool {
		if all {
			return act.Session == "" || e.Session == act.Session
		}
		return e.Is(act.Target)
	})
})}

// reports reports whether target names the escalation of a break.
func (s *State) reports(target, broken string) bool {
	return slices.ContainsFunc(s.Escalations, func(e settle.Escalation) bool { return e.Break == broken && e.Is(target) })
}

// asksFor maps acts to the gates they ask. A refused gate.requested is answered only by
// its run.evaluated, since the gate it meant is unknown.
var asksFor = map[string]runevents.Gate{
	runevents.TypePhaseStarted: runevents.GateNextPhase, runevents.TypeAgentSpawned: runevents.GateSpawn, runevents.TypeWaveStarted: runevents.GateLaunch,
	runevents.TypeWaveMergeRequested: runevents.GateMerge, runevents.TypeWorktreeCreated: runevents.GateWorktrees,
}

// refused is EV-3a: a gate is denied if its request was refused, and so are all gates of
// the run while one of its facts is unknown.
var refused = Rule{ID: "EV-3a", On: run.Types(sessionevents.TypeInputRefused), Run: run.With(func(c *Context, data *sessionevents.InputRefused) {
	if !data.RunEvent() || !c.state.Begin(c.Event.Subject) {
		return
	}
	if slices.Contains(c.config.Refused.Facts, data.EventType) {
		c.state.Refuse(settle.Refused{Event: data.Event, Type: data.EventType, Why: data.Reason}, c.config.Kept.Events)
	}
	if gate, asks := asksFor[data.EventType]; asks {
		c.Gate(runevents.GateDecided{
			Gate: gate, Decision: runevents.DecisionDeny, Rule: "EV-3a", WhoDecides: runevents.DecidedByScaffoldwatch, Asked: data.Event,
			Why: "The question was refused: " + settle.Sentence(data.Reason) + " Ask again, corrected.", Evidence: []runevents.Reference{{Event: c.Event.ID}},
		})
	}
})}

// accepted folds that the run is known, and that a fact of its type is known again.
var accepted = Rule{ID: "EV-3a", Folds: true, On: run.EveryRunEvent(), Run: func(c *Context) {
	if c.Event.Type != runevents.TypeGateRequested {
		c.state.Known = true
	}
	c.state.Accept(string(c.Event.Type))
	if c.Event.Type == runevents.TypePlanApproved && c.ByOperator() {
		c.state.Refused = nil
	}
}}

// approvedUnknown is EV-3a: an operator lets the run continue without the refused facts.
var approvedUnknown = Rule{ID: "EV-3a", Folds: true, On: run.Types(runevents.TypeOperatorAct), Run: run.With(func(c *Context, data *runevents.OperatorAct) {
	if data.Act == runevents.ActApprove && (data.Run == "" || data.Run == c.state.Run) {
		c.state.Refused = nil
	}
})}

// checkFacts returns a name in the configuration that is not a type of run event.
func checkFacts(names []string) string {
	for _, name := range names {
		if d, known := events.Lookup(events.Type(name)); !known || !d.RunEvent {
			return name
		}
	}
	return ""
}

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
