package wave

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
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
