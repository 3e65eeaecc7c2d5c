package wave

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// layerRules apply to an event in this order. The first rule for an event folds its
// subject and the next ones evaluate it; a rule that moves the state machine comes after
// those that depend on the state before.
var layerRules = run.List(
	sources,
	unprovenClaim,

	runStarted,
	documented,
	planScouted,
	scaffoldedByScout,
	planApproved,
	scaffoldsForSolo,
	contractChanged,
	scaffoldLate,
	scaffoldStarted,
	scaffoldByOrchestrator,
	scaffoldBroken,
	scaffoldBeforeReview,
	scaffoldCommitted,
	scaffoldFailed,
	wavePlanned,
	scaffoldsForPlannedSolo,
	ownershipOverlap,

	gateAsked,
	waveUnknown,
	waveStartedAutonomously,
	waveLaunched,

	agentStarting,
	agentStartedAutonomously,
	agentLaunched,
	agentsInSequence,
	agentStarted,
	orchestratorStartsAsAgent,
	hookMissing,
	agentIsolated,

	agentReported,
	orchestratorReportsAsAgent,
	reportWithoutCommit,
	reportInChat,
	reportWithoutField0,
	reportedByDocument,
	agentEnded,
	agentDescoped,

	worktreeMisnamed,
	worktreeUnknown,
	worktreeMadeAutonomously,
	worktreeGate,
	worktreeCreated,
	worktreeRemoved,

	hookInstalled,
	hookRemovedEarly,
	hookNotRestored,
	hookRemoved,
	field0Checked,

	commitSeen,
	commitBlocked,
	commitOnBranch,
	commitElsewhere,
	commitBeforeReview,
	commitOntoMain,
	committedAutonomously,
	mergeCommit,
	taintNoted,
	commitToMain,
	commitByRole,
	commitsCounted,

	branchMerged,
	mergeAsked,
	waveMerged,
	mergeCompleted,
	recoverySelected,
	waveTested,
	checklistReviewed,

	hookAtEnd,
	acceptedUntested,
	runCompleted,

	sessionTurn,
	sessionOpened,
	sessionDisplaced,
)

// hookAtEnd is WP-18: the hook must have been removed when the run ends.
var hookAtEnd = Rule{ID: "WP-18", On: run.Types(runevents.TypeRunCompleted), Run: func(c *Context) {
	c.state.Ended = true
	if c.state.Hook.Installed {
		c.state.Hook.Due = true
		c.hookOverdue(c.state.Current)
	}
}}

// acceptedUntested is WP-16: work that was accepted as it is needs an unscoped test
// before the run ends.
var acceptedUntested = Rule{ID: "WP-16", On: run.Types(runevents.TypeRunCompleted), Run: run.With(func(c *Context, _ *runevents.RunCompleted) {
	for _, w := range c.state.Waves {
		if w.Tainted && !w.TaintTested && w.once(codeAcceptedUntested) {
			c.judge(judgement{code: codeAcceptedUntested, wave: w.Number, what: fmt.Sprintf("The work of wave %d was accepted as it is, and no unscoped test has passed since.", w.Number)})
		}
	}
})}

// runCompleted ends the state machine; only a verified run is complete (WP-16).
var runCompleted = Rule{ID: "WP-16", On: run.Types(runevents.TypeRunCompleted), Run: run.With(func(c *Context, d *runevents.RunCompleted) {
	if d.Outcome != runevents.RunOutcomeSuccess || c.state.Phase == NotSuitable || c.state.Phase == "" {
		return
	}
	c.move(onCompleted)
})}

// sources records who reports on the run: if infrastructure does, claims do not count
// (EV-10).
var sources = Rule{ID: "EV-10", Folds: true, On: run.EveryRunEvent(), Run: func(c *Context) {
	if !c.state.Active {
		return
	}
	if c.Event.Credential == events.RoleInfra {
		c.state.Infra = true
	}
	c.learnActor()
}}

// unprovenClaim warns, once per type, about a fact without its credential (EV-10). WP-2
// and WP-4 judge some claims as well.
var unprovenClaim = Rule{ID: "EV-10", On: run.EveryRunEvent(), Run: func(c *Context) {
	if !c.state.Active || c.Proven || slices.Contains(c.state.Claimed, c.Event.Type) {
		return
	}
	c.state.Claimed = append(c.state.Claimed, c.Event.Type)
	described, _ := events.Lookup(c.Event.Type)
	c.judge(judgement{code: codeUnprovenClaim, what: string(c.Event.Type) + " came without the credential of " + holders[described.Role] + "; it is taken as a claim, not as a fact."})
}}

// holders describe the holders of a credential for people.
var holders = map[events.Role]string{events.RoleInfra: "infrastructure", events.RoleOperator: "an operator"}

// runStarted starts the state machine (WP-16).
var runStarted = Rule{ID: "WP-16", Folds: true, On: run.Types(runevents.TypeRunStarted), Run: run.With(func(c *Context, d *runevents.RunStarted) {
	c.state.Kind = run.KnownKind(d.Kind)
	if c.state.Phase == "" && !c.state.Midway {
		c.state.Phase = ScoutPending
	}
})}

// waveTested is the verification of a wave (WP-15): unscoped, by the gate rather than an
// agent (E10), and more than a build if tests exist (E13).
var waveTested = Rule{ID: "WP-15", On: run.Types(runevents.TypeTestCompleted), Run: run.With(func(c *Context, d *runevents.TestCompleted) {
	compiles := c.config.onlyCompiles(d.Suite)
	w := c.state.current()
	if d.Scope != "unscoped" {
		c.state.Tests = c.state.Tests || d.Suite != "" && !compiles
		return
	}
	if c.actor.Kind == runevents.ActorWaveAgent && w != nil && w.parallel() {
		if w.once(codeUnscopedByAgent + "/" + c.actor.ID) {
			c.judge(judgement{code: codeUnscopedByAgent, wave: w.Number, what: fmt.Sprintf("An agent%s ran an unscoped command in wave %d; agents verify their own part, the gate verifies all.", because(c.actor.ID), w.Number)})
		}
		return
	}
	if w != nil {
		c.verify(w, d.Passed, compiles)
	}
	c.state.Tests = c.state.Tests || d.Suite != "" && !compiles
})}

// verify moves the run according to an unscoped result. A result before the merge, or
// before a solo agent has any commit, has no effect.
func (c *Context) verify(w *Wave, passed, compiles bool) {
	done := w.Merged || w.solo() && w.LaunchAllowed && !w.running()
	if !done || c.state.Trip != nil || !slices.Contains([]Phase{WaveExecuting, WaveMerging, WaveVerified, Blocked}, c.state.Phase) {
		return
	}
	w.Unverified = !passed
	if !passed {
		w.Verified = false
		c.state.Phase, _ = c.state.may(onBlocked)
		return
	}
	if w.Tainted && !compiles {
		w.TaintTested = true
	}
	if len(w.blocking()) > 0 {
		return
	}
	if compiles && c.state.Tests {
		c.judge(judgement{code: codeCompileOnly, wave: w.Number, what: fmt.Sprintf("The verification of wave %d only compiled, and tests exist.", w.Number)})
	}
	if to, ok := c.state.may(onVerified); ok {
		c.state.Phase = to
		w.Verified = true
		w.forget()
		c.verifiedHook()
	}
}

// onlyCompiles reports whether the name of a suite mentions a build and no test.
func (c *Config) onlyCompiles(suite string) bool {
	words := strings.FieldsFunc(strings.ToLower(suite), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	in := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
	return (in(c.CompileWords) || containsAny(strings.Join(words, " "), c.CompilePhrases)) && !in(c.TestWords)
}
