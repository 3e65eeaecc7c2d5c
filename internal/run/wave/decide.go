package wave

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// act is one event being judged.
type act struct {
	c     *Config
	s     *State
	v     *verdict.Verdict
	event events.Event
	actor runevents.Actor
	fact  bool // it has the credential its type needs
}

// Decide concludes what an event means and folds it in.
func (c *Config) Decide(s *State, in step.Input, v *verdict.Verdict) {
	if s.Active && in.Event.Type == sessionevents.TypeTurnEvaluated {
		a := &act{c: c, s: s, v: v, event: in.Event}
		a.turn(in.Event.Data)
		return
	}
	if s.Active && in.Event.Type == sessionevents.TypeSessionOpened {
		a := &act{c: c, s: s, v: v, event: in.Event}
		a.opened(in.Event.Data)
		return
	}
	described, known := events.Lookup(in.Event.Type)
	if !known || !described.RunEvent || !s.concerns(in.Event) {
		return
	}
	a := &act{c: c, s: s, v: v, event: in.Event}
	a.actor, _ = events.ActorOf(in.Event.Data)
	a.fact = (described.Role != events.RoleOperator && described.Role != events.RoleInfra) || in.Event.Credential == described.Role
	if s.Active {
		a.begin()
	}
	a.decide()
}

// begin learns what every event of the run tells.
func (a *act) begin() {
	if a.event.Credential == events.RoleInfra {
		a.s.Infra = true
	}
	a.learnActor()
	if !a.fact {
		a.claim()
	}
}

// decide is the list of events and what each means.
func (a *act) decide() {
	switch d := a.event.Data.(type) {
	case *runevents.RunStarted:
		a.runStarted(d)
	case *runevents.RunCompleted:
		a.runCompleted(d)
	case *runevents.ScoutCompleted:
		a.scoutCompleted(d)
	case *runevents.PlanApproved:
		a.planApproved()
	case *runevents.ContractChanged:
		a.contractChanged(d)
	case *runevents.ScaffoldStarted:
		a.scaffoldStarted(d)
	case *runevents.ScaffoldCommitted:
		a.scaffoldCommitted(d)
	case *runevents.ScaffoldFailed:
		a.scaffoldFailed(cmp.Or(d.Reason, "it failed"), d.Files)
	case *runevents.WavePlanned:
		a.wavePlanned(d)
	case *runevents.GateRequested:
		a.askedAhead(d)
	case *runevents.WaveStarted:
		a.waveStarted(d)
	case *runevents.AgentStarted:
		a.agentStarted(d)
	case *runevents.AgentCompleted:
		a.agentCompleted(d)
	case *runevents.AgentDescoped:
		a.agentDescoped(d)
	case *runevents.WorktreeCreated:
		a.worktreeCreated(d)
	case *runevents.WorktreeRemoved:
		a.worktreeRemoved(d)
	case *runevents.HookInstalled:
		a.hookInstalled(d)
	case *runevents.HookRemoved:
		a.hookRemoved(d)
	case *runevents.Field0Checked:
		a.field0Checked(d)
	case *runevents.GitCommit:
		a.committed(d)
	case *runevents.GitCounted:
		a.counted(d)
	case *runevents.GitMerge:
		a.gitMerged(d)
	case *runevents.WaveMergeRequested:
		a.mergeRequested(d)
	case *runevents.WaveMerged:
		a.waveMerged(d)
	case *runevents.MergeCompleted:
		a.mergeCompleted()
	case *runevents.RecoverySelected:
		a.recoverySelected(d)
	case *runevents.TestCompleted:
		a.tested(d)
	case *runevents.ReviewCompleted:
		a.reviewed(d)
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

func (a *act) runStarted(d *runevents.RunStarted) {
	a.s.Kind = d.Kind
	if a.s.Phase == "" && !a.s.Midway {
		a.s.Phase = ScoutPending
	}
}

// holders name who has a credential, for people.
var holders = map[events.Role]string{events.RoleInfra: "infrastructure", events.RoleOperator: "an operator"}

// claim tells, once for each type, that a fact came without its credential
// ("Sources of truth"). WP-2 and WP-4 judge some claims besides.
func (a *act) claim() {
	if slices.Contains(a.s.Claimed, a.event.Type) {
		return
	}
	a.s.Claimed = append(a.s.Claimed, a.event.Type)
	described, _ := events.Lookup(a.event.Type)
	a.judge(judgement{code: codeUnprovenClaim, what: string(a.event.Type) + " came without the credential of " + holders[described.Role] + "; it is taken as a claim, not as a fact."})
}
