package wave

import (
	"cmp"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/verdict"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// act is one event being judged.
type act struct {
	c     *Config
	s     *State
	v     *verdict.Verdict
	event events.Event
	actor events.Actor
	fact  bool // it has the credential its type needs
}

// Decide concludes what an event means and folds it in.
func (c *Config) Decide(s *State, in step.Input, v *verdict.Verdict) {
	if s.Active && in.Event.Type == events.TypeTurnEvaluated {
		a := &act{c: c, s: s, v: v, event: in.Event}
		a.turn(in.Event.Data)
		return
	}
	if s.Active && in.Event.Type == events.TypeSessionOpened {
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
	case *events.RunStarted:
		a.runStarted(d)
	case *events.RunCompleted:
		a.runCompleted(d)
	case *events.ScoutCompleted:
		a.scoutCompleted(d)
	case *events.PlanApproved:
		a.planApproved()
	case *events.ContractChanged:
		a.contractChanged(d)
	case *events.ScaffoldStarted:
		a.scaffoldStarted(d)
	case *events.ScaffoldCommitted:
		a.scaffoldCommitted(d)
	case *events.ScaffoldFailed:
		a.scaffoldFailed(cmp.Or(d.Reason, "it failed"), d.Files)
	case *events.WavePlanned:
		a.wavePlanned(d)
	case *events.GateRequested:
		a.askedAhead(d)
	case *events.WaveStarted:
		a.waveStarted(d)
	case *events.AgentStarted:
		a.agentStarted(d)
	case *events.AgentCompleted:
		a.agentCompleted(d)
	case *events.AgentDescoped:
		a.agentDescoped(d)
	case *events.WorktreeCreated:
		a.worktreeCreated(d)
	case *events.WorktreeRemoved:
		a.worktreeRemoved(d)
	case *events.HookInstalled:
		a.hookInstalled(d)
	case *events.HookRemoved:
		a.hookRemoved(d)
	case *events.Field0Checked:
		a.field0Checked(d)
	case *events.GitCommit:
		a.committed(d)
	case *events.GitCounted:
		a.counted(d)
	case *events.GitMerge:
		a.gitMerged(d)
	case *events.WaveMergeRequested:
		a.mergeRequested(d)
	case *events.WaveMerged:
		a.waveMerged(d)
	case *events.MergeCompleted:
		a.mergeCompleted()
	case *events.RecoverySelected:
		a.recoverySelected(d)
	case *events.TestCompleted:
		a.tested(d)
	case *events.ReviewCompleted:
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
	case *events.RunStarted:
		s.Kind = d.Kind
		s.Active = d.Kind == kindSAW
	case *events.ScoutCompleted, *events.ScaffoldStarted, *events.ScaffoldCommitted, *events.ScaffoldFailed,
		*events.WavePlanned, *events.WaveStarted, *events.WaveMergeRequested, *events.WaveMerged, *events.Field0Checked:
		s.Active, s.Midway = true, true
	case *events.WorktreeCreated:
		s.Active = s.Kind == "" && !ofNoAgent(d)
		s.Midway = s.Active
	case *events.HookInstalled, *events.PlanApproved, *events.RecoverySelected:
		// other kinds of runs have hooks and approvals of their own
		s.Active = s.Kind == ""
		s.Midway = s.Active
	case *events.AgentStarted:
		s.Active = d.Wave > 0 && d.Letter != ""
		s.Midway = s.Active
	case *events.GateRequested:
		return slices.Contains([]string{events.GateLaunch, events.GateWorktrees, events.GateMerge}, d.Gate)
	case *events.ReviewCompleted:
		return true // a failed checklist shuts the merge of any run
	}
	return s.Active
}

// kindSAW is the kind of a run that works by the protocol.
const kindSAW = "saw"

func (a *act) runStarted(d *events.RunStarted) {
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
