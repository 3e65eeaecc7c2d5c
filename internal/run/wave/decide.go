package wave

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Context is an event on its way through the rules.
type Context struct {
	*run.Context
	config *Config
	state  *State
	actor  runevents.Actor
}

// Decide concludes what an event means and folds it in.
func (c *Config) Decide(s *State, event *run.Context) {
	context := &Context{Context: event, config: c, state: s}
	switch {
	case s.Active && event.Event.Type == sessionevents.TypeTurnEvaluated:
		context.turn(event.Event.Data)
	case s.Active && event.Event.Type == sessionevents.TypeSessionOpened:
		context.opened(event.Event.Data)
	case event.RunEvent && s.concerns(event.Event):
		context.actor, _ = events.ActorOf(event.Event.Data)
		if s.Active {
			context.begin()
		}
		context.decide()
	}
}

// begin learns what every event of the run tells.
func (c *Context) begin() {
	if c.Event.Credential == events.RoleInfra {
		c.state.Infra = true
	}
	c.learnActor()
	if !c.Proven {
		c.claim()
	}
}

// decide is the list of events and what each means.
func (c *Context) decide() {
	switch d := c.Event.Data.(type) {
	case *runevents.RunStarted:
		c.runStarted(d)
	case *runevents.RunCompleted:
		c.runCompleted(d)
	case *runevents.ScoutCompleted:
		c.scoutCompleted(d)
	case *runevents.PlanApproved:
		c.planApproved()
	case *runevents.ContractChanged:
		c.contractChanged(d)
	case *runevents.ScaffoldStarted:
		c.scaffoldStarted(d)
	case *runevents.ScaffoldCommitted:
		c.scaffoldCommitted(d)
	case *runevents.ScaffoldFailed:
		c.scaffoldFailed(cmp.Or(d.Reason, "it failed"), d.Files)
	case *runevents.WavePlanned:
		c.wavePlanned(d)
	case *runevents.GateRequested:
		c.askedAhead(d)
	case *runevents.WaveStarted:
		c.waveStarted(d)
	case *runevents.AgentStarted:
		c.agentStarted(d)
	case *runevents.AgentCompleted:
		c.agentCompleted(d)
	case *runevents.AgentDescoped:
		c.agentDescoped(d)
	case *runevents.WorktreeCreated:
		c.worktreeCreated(d)
	case *runevents.WorktreeRemoved:
		c.worktreeRemoved(d)
	case *runevents.HookInstalled:
		c.hookInstalled(d)
	case *runevents.HookRemoved:
		c.hookRemoved(d)
	case *runevents.Field0Checked:
		c.field0Checked(d)
	case *runevents.GitCommit:
		c.committed(d)
	case *runevents.GitCounted:
		c.counted(d)
	case *runevents.GitMerge:
		c.gitMerged(d)
	case *runevents.WaveMergeRequested:
		c.mergeRequested(d)
	case *runevents.WaveMerged:
		c.waveMerged(d)
	case *runevents.MergeCompleted:
		c.mergeCompleted()
	case *runevents.RecoverySelected:
		c.recoverySelected(d)
	case *runevents.TestCompleted:
		c.tested(d)
	case *runevents.ReviewCompleted:
		c.reviewed(d)
	}
}

// concerns reports whether an event is one of the protocol's, and begins to watch
// at the first that shows that the run uses it.
func (s *State) concerns(e events.Event) bool {
	if s.Active {
		return true
	}
	switch d := e.Data.(type) {
	case *runevents.RunStarted:
		s.Kind = d.Kind
		s.Active = d.Kind == kindSAW
	case *runevents.ScoutCompleted, *runevents.ScaffoldStarted, *runevents.ScaffoldCommitted, *runevents.ScaffoldFailed,
		*runevents.WavePlanned, *runevents.WaveStarted, *runevents.WaveMergeRequested, *runevents.WaveMerged, *runevents.Field0Checked:
		s.Active, s.Midway = true, true
	case *runevents.WorktreeCreated:
		s.Active = s.Kind == "" && !ofNoAgent(d)
		s.Midway = s.Active
	case *runevents.HookInstalled, *runevents.PlanApproved, *runevents.RecoverySelected:
		// other kinds of runs have hooks and approvals of their own
		s.Active = s.Kind == ""
		s.Midway = s.Active
	case *runevents.AgentStarted:
		s.Active = d.Wave > 0 && d.Letter != ""
		s.Midway = s.Active
	case *runevents.GateRequested:
		return slices.Contains([]string{runevents.GateLaunch, runevents.GateWorktrees, runevents.GateMerge}, d.Gate)
	case *runevents.ReviewCompleted:
		return true // a failed checklist shuts the merge of any run
	}
	return s.Active
}

// kindSAW is the kind of a run that works by the protocol.
const kindSAW = "saw"

func (c *Context) runStarted(d *runevents.RunStarted) {
	c.state.Kind = d.Kind
	if c.state.Phase == "" && !c.state.Midway {
		c.state.Phase = ScoutPending
	}
}

// holders name who has a credential, for people.
var holders = map[events.Role]string{events.RoleInfra: "infrastructure", events.RoleOperator: "an operator"}

// claim tells, once for each type, that a fact came without its credential
// ("Sources of truth"). WP-2 and WP-4 judge some claims besides.
func (c *Context) claim() {
	if slices.Contains(c.state.Claimed, c.Event.Type) {
		return
	}
	c.state.Claimed = append(c.state.Claimed, c.Event.Type)
	described, _ := events.Lookup(c.Event.Type)
	c.judge(judgement{code: codeUnprovenClaim, what: string(c.Event.Type) + " came without the credential of " + holders[described.Role] + "; it is taken as a claim, not as a fact."})
}
