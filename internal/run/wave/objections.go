package wave

import (
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// unsuitable is WP-15: the scout found the task unsuitable.
func unsuitable(q *question) []objection {
	if q.state.Plan.Verdict != "NOT SUITABLE" {
		return nil
	}
	why := "The scout found the task not suitable; no wave follows."
	return []objection{{rule: "WP-15", why: why, operator: true, breaks: &judgement{code: codeUnsuitable, wave: q.wave, what: why}}}
}

// awaiting is WP-2: only an operator's recovery continues from here.
func awaiting(q *question) []objection {
	if !q.state.awaiting() {
		return nil
	}
	return []objection{{
		rule: "WP-2", operator: true, options: q.config.options(),
		why:      fmt.Sprintf("Wave %d waits for an operator to choose how to recover.", q.state.Trip.Wave),
		evidence: []runevents.Reference{{Event: q.state.Trip.Event}},
	}}
}

// sequence is WP-14 (I3).
func sequence(q *question) []objection {
	if q.wave < 2 {
		return nil
	}
	before := q.state.Waves.numbered(q.wave - 1)
	if before != nil && before.Verified || before == nil && q.state.Midway && (len(q.state.Waves) == 0 || q.state.Waves[0].Number >= q.wave) {
		return nil
	}
	why := fmt.Sprintf("Wave %d must be merged and verified by unscoped tests before wave %d begins.", q.wave-1, q.wave)
	return []objection{{rule: "WP-14", why: why, breaks: &judgement{code: codeOutOfSequence, wave: q.wave, what: fmt.Sprintf("Wave %d began before wave %d was merged and verified.", q.wave, q.wave-1)}}}
}

// scaffoldFailure is WP-10.
func scaffoldFailure(q *question) []objection {
	if q.state.Plan.Failed == "" {
		return nil
	}
	return []objection{{rule: "WP-10", operator: true, why: "The scaffold failed: " + q.state.Plan.Failed + ". Revise the contracts and have the plan approved again."}}
}

// unapproved is the review gate (WP-9), or the re-approval that WP-11 requires.
func unapproved(q *question) []objection {
	switch {
	case q.state.Plan.Approved || q.state.Plan.Failed != "" || q.state.Plan.Verdict == "NOT SUITABLE":
		return nil
	case q.state.Plan.Revised != "":
		return []objection{{rule: "WP-11", operator: true, why: "Contracts changed since the approval; an operator must approve the plan again.", evidence: []runevents.Reference{{Event: q.state.Plan.Revised}}}}
	}
	return []objection{{rule: "WP-9", operator: true, why: "No operator has approved the plan."}}
}

// cosmeticReview is WP-8.
func cosmeticReview(q *question) []objection {
	if q.state.Plan.Cosmetic == "" {
		return nil
	}
	why := "Scaffolds were committed before the review, so the approval changed nothing; an operator must approve the plan again."
	if q.state.Plan.Approvals == 0 {
		why = "Scaffolds were committed before the review, which is left with nothing to change."
	}
	return []objection{{rule: "WP-8", operator: true, why: why, evidence: []runevents.Reference{{Event: q.state.Plan.Cosmetic}}}}
}

// scaffoldOpen is WP-9 (I2): contracts precede implementation.
func scaffoldOpen(q *question) []objection {
	if len(q.state.Plan.pending()) == 0 || q.state.onlySoloWaves() {
		return nil
	}
	why := "The scaffold " + phrase(q.state.Plan.pending()) + " is pending; it must be compiled and committed first."
	o := objection{rule: "WP-9", why: why}
	if q.gate == runevents.GateWorktrees {
		o.breaks = &judgement{code: codeWorktreeTooEarly, wave: q.wave, letter: q.letter, what: "A worktree was made while the scaffold " + phrase(q.state.Plan.pending()) + " is pending."}
	}
	return []objection{o}
}

// launchState is WP-16 for a launch.
func launchState(q *question) []objection {
	started := q.w != nil && q.w.LaunchAllowed
	switch {
	case started && !q.w.Started:
		return nil // reported for its first agent, and now for the wave itself
	case !started && (q.w == nil || !q.w.Verified) && q.wave >= q.state.Current && q.state.mayLaunch(q.wave):
		return nil
	}
	return []objection{{
		rule: "WP-16", why: fmt.Sprintf("Wave %d cannot be launched in the state %s%s.", q.wave, q.state.state(), launchRemedy(q.w)),
		breaks: &judgement{code: codeIllegalTransition, wave: q.wave, invariants: transitionInvariants(q.state), what: fmt.Sprintf("Wave %d was launched in the state %s; the protocol does not allow that here.", q.wave, q.state.state())},
	}}
}

// launchRemedy describes what an out-of-turn launch is missing.
func launchRemedy(w *Wave) string {
	if w != nil && w.LaunchAllowed {
		return ": it was launched already"
	}
	return ""
}

// mergeRemedy describes what an out-of-turn merge is missing.
func mergeRemedy(s *State, w *Wave) string {
	switch {
	case w != nil && w.MergeAllowed:
		return ": its merge is allowed already, and merging is not idempotent"
	case w != nil && w.Merged:
		return ": it is merged"
	case s.Phase == Blocked:
		return ": what blocked it must be put right first"
	}
	return ": it must have been launched with the gate's allow"
}

// mayLaunch reports whether the state machine allows a wave to start.
func (s *State) mayLaunch(wave int) bool {
	if s.Phase == WaveVerified {
		return wave == s.Current+1
	}
	_, ok := s.may(onLaunched)
	return ok && (s.Current == 0 || wave == s.Current || s.Phase == "")
}

// state returns the name of the phase for people.
func (s *State) state() string {
	switch {
	case s.awaiting():
		return string(s.Phase) + " (awaiting a human)"
	case s.Phase == "":
		return "UNKNOWN"
	}
	return string(s.Phase)
}

// transitionInvariants returns the invariants that an illegal transition concerns:
// contracts and review before the first wave, the sequence after it.
func transitionInvariants(s *State) []string {
	if s.Current == 0 {
		return []string{"I2"}
	}
	return []string{"I3"}
}

// mergeState is WP-16 for a merge: only a wave that is executing can be merged, and
// merging is not idempotent (E9).
func mergeState(q *question) []objection {
	_, ok := q.state.may(onMergeAllowed)
	if ok && (q.wave == q.state.Current || q.state.Phase == "") {
		return nil
	}
	o := objection{rule: "WP-16", why: fmt.Sprintf("Wave %d cannot be merged in the state %s%s.", q.wave, q.state.state(), mergeRemedy(q.state, q.w))}
	if q.state.Phase != Blocked {
		o.breaks = &judgement{code: codeIllegalTransition, wave: q.wave, invariants: transitionInvariants(q.state), what: fmt.Sprintf("The merge of wave %d was asked for in the state %s; the protocol does not allow that here.", q.wave, q.state.state())}
	}
	return []objection{o}
}

// frozenContract is WP-11 at the merge: work based on contracts that changed later is not
// merged.
func frozenContract(q *question) []objection {
	if q.w == nil {
		return nil
	}
	var stale []string
	var evidence []runevents.Reference
	for _, agent := range q.w.scoped() {
		if agent.Worktree != nil && agent.Worktree.Stale {
			stale = append(stale, agent.Letter)
			evidence = append(evidence, runevents.Reference{Event: agent.Worktree.Event, Path: agent.Worktree.Path})
		}
	}
	if len(stale) == 0 {
		return nil
	}
	return []objection{{rule: "WP-11", evidence: evidence, why: fmt.Sprintf("Contracts changed after the worktrees of wave %d were made; make those of %s again.", q.wave, phrase(stale))}}
}
