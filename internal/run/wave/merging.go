package wave

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
)

// waveMerged is WP-3: a merge needs an allow of the gate, and a merge of nothing shows
// that agents worked elsewhere.
var waveMerged = Rule{ID: "WP-3", On: run.Types(runevents.TypeWaveMerged), Run: run.With(func(c *Context, d *runevents.WaveMerged) {
	w := c.state.needWave(c.config, d.Wave)
	if w == nil {
		c.judge(judgement{code: codeMergedWithoutGate, wave: d.Wave, what: fmt.Sprintf("Wave %d was merged; there is no such wave.", d.Wave)})
		return
	}
	if w.solo() && !w.MergeAllowed {
		if w.once(codeSoloMerge) {
			c.judge(judgement{code: codeSoloMerge, wave: d.Wave, what: fmt.Sprintf("Wave %d has one agent that works on main; there was nothing to merge.", d.Wave)})
		}
		return
	}
	c.autonomous(d.Wave, fmt.Sprintf("wave %d was merged", d.Wave))
	switch {
	case w.MergeWithdrawn && containsAny(d.Output, c.config.MergedNothing):
		return // reported for its branches
	case !w.MergeAllowed:
		c.mergedWrongly(w, codeMergedWithoutGate, fmt.Sprintf("Wave %d was merged %s.", d.Wave, w.denial()))
	case containsAny(d.Output, c.config.MergedNothing):
		c.mergedWrongly(w, codeMergedNothing, fmt.Sprintf("The merge of wave %d merged nothing (%s): the agents' work is not on their branches.", d.Wave, quote.Text(d.Output)))
	case !w.once("wave.merged"):
		c.judge(judgement{code: codeIllegalTransition, invariants: []string{"E9"}, wave: d.Wave, what: fmt.Sprintf("Wave %d was merged a second time; merging is not idempotent.", d.Wave)})
	default:
		w.Merged = true
	}
})}

// denial describes the gate's answer to a merge that it did not allow.
func (w *Wave) denial() string {
	switch {
	case w.MergeWithdrawn:
		return "after the gate's allow had ended: an earlier merge of the wave merged nothing (WP-3)"
	case w.MergeDenied == "":
		return "without an allow of the gate"
	}
	return "without an allow of the gate (denied by " + w.MergeDenied + ")"
}

// mergedWrongly halts the run; passing tests do not clear it.
func (m machine) mergedWrongly(w *Wave, code, why string) {
	m.judge(judgement{code: code, wave: w.Number, what: why})
	w.MergeWithdrawn = w.MergeWithdrawn || w.MergeAllowed
	m.halt(runevents.TriggerMergedWithoutGate, why, m.evidence(nil))
	m.stop(w.Number, "WP-3", nil)
}

// branchMerged is WP-3 for a git merge of an agent's branch into a branch without an
// agent.
var branchMerged = Rule{ID: "WP-3", On: run.Types(runevents.TypeGitMerge), Run: run.With(func(c *Context, d *runevents.GitMerge) {
	w, agent := c.state.Waves.place(branchName(d.Branch))
	if _, _, into := parseName(d.Into); w == nil || into {
		return
	}
	c.autonomous(w.Number, d.Branch+" was merged into "+d.Into)
	switch {
	case containsAny(d.Output, c.config.MergedNothing):
		c.mergedWrongly(w, codeMergedNothing, fmt.Sprintf("The merge of %s merged nothing (%s): its agent worked elsewhere.", d.Branch, quote.Text(d.Output)))
	case !w.MergeAllowed:
		why := fmt.Sprintf("%s was merged into %s %s.", d.Branch, d.Into, w.denial())
		c.mergedWrongly(w, codeMergeWithoutAllow, why)
	case agent != nil && c.Proven:
		agent.Merged = true
		w.Merged = w.Merged || !slices.ContainsFunc(w.scoped(), func(one *Agent) bool { return !one.Merged })
	}
})}

// mergeCompleted folds the merge for orchestrators that do not publish wave.merged.
var mergeCompleted = Rule{ID: "WP-3", Folds: true, On: run.Types(runevents.TypeMergeCompleted), Run: func(c *Context) {
	if w := c.state.current(); w != nil && c.state.Phase == WaveMerging && w.MergeAllowed {
		w.Merged = true
	}
}}

func containsAny(text string, words []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, strings.ToLower(word)) })
}

// checklistReviewed is PL-41: it keeps the failed items of checklists. The merge waits
// for them, whatever the verdict was, until the same reviewer passes them or a review of
// a later cycle does.
var checklistReviewed = Rule{ID: "PL-41", Folds: true, On: run.Types(runevents.TypeReviewCompleted), Run: run.With(func(c *Context, d *runevents.ReviewCompleted) {
	by := cmp.Or(short(d.Reviewer, longText), "an unnamed reviewer")
	for _, item := range d.Checklist {
		name := short(item.Item, longText)
		i := slices.IndexFunc(c.state.Checklist, func(f FailedItem) bool { return strings.EqualFold(f.Item, name) })
		switch {
		case item.Result == "failed" && i < 0:
			if len(c.state.Checklist) < c.config.Kept.Actors {
				c.state.Checklist = append(c.state.Checklist, FailedItem{name, by, d.Cycle, c.Event.ID})
			}
		case i < 0:
		case item.Result == "passed" && (c.state.Checklist[i].By == by || d.Cycle > c.state.Checklist[i].Cycle):
			c.state.Checklist = slices.Delete(c.state.Checklist, i, i+1)
		case item.Result == "failed":
			c.state.Checklist[i] = FailedItem{name, by, d.Cycle, c.Event.ID}
		default:
			c.state.Checklist[i].Cycle = d.Cycle
		}
	}
})}

// failedChecklist is PL-41 at the merge: an objection for each reviewer.
func failedChecklist(q *question) []objection {
	var out []objection
	for i, f := range q.state.Checklist {
		if slices.ContainsFunc(q.state.Checklist[:i], func(before FailedItem) bool { return before.By == f.By }) {
			continue
		}
		o := objection{rule: "PL-41"}
		var items []string
		for _, other := range q.state.Checklist[i:] {
			if other.By == f.By {
				items = append(items, other.Item)
				o.evidence = append(o.evidence, runevents.Reference{Event: other.Event})
			}
		}
		o.why = fmt.Sprintf("The review by %s found that these items of its checklist failed: %s.", f.By, phrase(items))
		out = append(out, o)
	}
	return out
}

// Codes of violations and warnings.
const (
	codeAutonomousRecovery  = "SAW-AUTONOMOUS-RECOVERY"
	codeMergedWithoutGate   = "MERGED-WITHOUT-GATE"
	codeMergedNothing       = "MERGED-NOTHING"
	codeCommitMain          = "SAW-COMMIT-MAIN"
	codeMergeWithoutAllow   = "MERGE-WITHOUT-ALLOW"
	codeWorktreeName        = "WORKTREE-NAME"
	codeOwnershipOverlap    = "OWNERSHIP-OVERLAP"
	codeFilesOverlap        = "FILES-OVERLAP"
	codeForeignFile         = "FOREIGN-FILE"
	codeWithoutWorktree     = "AGENT-WITHOUT-WORKTREE"
	codeOutsideWorktree     = "AGENT-OUTSIDE-WORKTREE"
	codeCosmeticReview      = "REVIEW-GATE-COSMETIC"
	codeWorktreeTooEarly    = "WORKTREE-BEFORE-SCAFFOLD"
	codeContractFrozen      = "CONTRACT-FROZEN"
	codeOrchestratorSource  = "ORCHESTRATOR-COMMITS-SOURCE"
	codeOrchestratorPlan    = "ORCHESTRATOR-WRITES-PLAN"
	codeOrchestratorScaff   = "ORCHESTRATOR-WRITES-SCAFFOLD"
	codeOrchestratorAgent   = "ORCHESTRATOR-AS-AGENT"
	codeScoutSource         = "SCOUT-COMMITS-SOURCE"
	codeOutOfSequence       = "WAVE-OUT-OF-SEQUENCE"
	codeScaffoldLate        = "SCAFFOLD-AFTER-FIRST-WAVE"
	codeReportWithoutCommit = "REPORT-WITHOUT-COMMIT"
	codeReportInChat        = "REPORT-ONLY-IN-CHAT"
	codeUnsuitable          = "NOT-SUITABLE-IGNORED"
	codeIllegalTransition   = "ILLEGAL-TRANSITION"
	codeTaintNotNoted       = "TAINT-NOT-NOTED"
	codeActedWithoutAllow   = "ACTED-WITHOUT-ALLOW"
	codeField0Edits         = "FIELD0-FAILED-EDITS"
	codeUndeclared          = "FILES-UNDECLARED"

	codeClaimDiffers     = "CLAIM-DIFFERS"
	codeUnprovenClaim    = "UNPROVEN-CLAIM"
	codeIdenticalFile    = "IDENTICAL-FILE"
	codeOutsideOwnership = "FILES-OUTSIDE-OWNERSHIP"
	codeContractChanged  = "CONTRACT-CHANGED"
	codeScaffoldsForSolo = "SCAFFOLDS-FOR-SOLO"
	codeSoloMerge        = "SOLO-MERGE"
	codeAgentBlocked     = "AGENT-BLOCKED"
	codeLaunchedBlocking = "LAUNCHED-BLOCKING"
	codeCompileOnly      = "COMPILE-ONLY"
	codeUnscopedByAgent  = "UNSCOPED-BY-AGENT"
	codeRecoveryMismatch = "RECOVERY-MISMATCH"
	codeAcceptedUntested = "ACCEPTED-UNTESTED"
	codeHookMissing      = "HOOK-MISSING"
	codeHookRemovedEarly = "HOOK-REMOVED-EARLY"
	codeHookNotRemoved   = "HOOK-NOT-REMOVED"
	codeHookNotRestored  = "HOOK-NOT-RESTORED"
	codeField0Missing    = "FIELD0-MISSING"
)

// row is the specification's entry for a code.
type row struct {
	rule    string
	touches []string // invariants and execution rules (WP-19)
	warning bool
}

// codeOf returns the row of a code. A test checks that each code above has one.
func codeOf(code string) row {
	owners := spec.CodedBy(code)
	if len(owners) == 0 {
		return row{rule: "WP-19", warning: true}
	}
	c := owners[0].Code(code)
	return row{rule: owners[0].ID, touches: c.Touches, warning: c.Severity == spec.Warning}
}

// ruleIDs returns the rules of the wave codes, in their order.
func ruleIDs() []string {
	var out []string
	for _, r := range spec.Rules() {
		if slices.ContainsFunc(r.Codes, func(c spec.Code) bool { return len(c.Touches) > 0 }) {
			out = append(out, r.ID)
		}
	}
	return out
}

// judgement is a violation or warning before it is published; missing fields come from
// the table of codes, and the evidence begins with the current event.
type judgement struct {
	code       string
	rule       string
	invariants []string
	what       string
	wave       int
	letter     string
	agent      string
	evidence   []runevents.Reference
	observed   bool // an isolation failure that our live detection caught (WP-17)
}

// Judged is a reported violation or warning, kept for conformance (WP-19).
type Judged struct {
	Code       string   `json:"code"`
	Rule       string   `json:"rule"`
	Invariants []string `json:"invariants"`
	Warning    bool     `json:"warning,omitempty"`
	Event      string   `json:"event"`
	Wave       int      `json:"wave,omitempty"`
	Letter     string   `json:"letter,omitempty"`
	What       string   `json:"what"`
}

// judge reports a violation or warning and keeps it for the run's conformance.
func (r record) judge(j judgement) {
	row := codeOf(j.code)
	if j.rule == "" {
		j.rule = row.rule
	}
	if j.invariants == nil {
		j.invariants = row.touches
	}
	reported := runevents.Judgement{
		Code: j.code, Rule: j.rule, Invariants: slices.Clone(j.invariants), What: j.what,
		Evidence: r.evidence(j.evidence), Wave: j.wave, Letter: j.letter, AgentID: j.agent,
	}
	if j.observed {
		reported.CaughtBy = runevents.CaughtByObserver
	}
	if row.warning {
		r.Warning(runevents.WarningIssued(reported))
	} else {
		r.Violation(runevents.ViolationDetected(reported))
	}
	if len(r.state.Judged) >= r.config.Kept.Judgements {
		r.state.Unkept++
		return
	}
	r.state.Judged = append(r.state.Judged, Judged{j.code, j.rule, slices.Clone(j.invariants), row.warning, r.Event.ID, j.wave, j.letter, short(j.what, longText)})
}

// evidence returns the current event followed by the rest, within the bound.
func (r record) evidence(more []runevents.Reference) []runevents.Reference {
	out := []runevents.Reference{}
	if !slices.ContainsFunc(more, func(known runevents.Reference) bool { return known.Event == r.Event.ID }) {
		out = append(out, runevents.Reference{Event: r.Event.ID})
	}
	out = append(out, more...)
	return out[:min(len(out), r.config.Kept.References)]
}

// eventIDs returns the events of pieces of evidence, each once.
func eventIDs(refs []runevents.Reference) []string {
	var out []string
	for _, r := range refs {
		if r.Event != "" && !slices.Contains(out, r.Event) {
			out = append(out, r.Event)
		}
	}
	return out
}

// halt requests a hard break that only an operator's recovery ends.
func (r record) halt(trigger runevents.BreakTrigger, reason string, evidence []runevents.Reference) {
	r.RequestBreak(runevents.WiggumBreak{
		Kind: runevents.BreakHard, Trigger: trigger, Reason: reason, WIPAction: runevents.WIPNone,
		Evidence: eventIDs(evidence), Options: r.config.options(),
	})
}
