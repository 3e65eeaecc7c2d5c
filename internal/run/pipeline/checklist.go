package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Results of an item of a review checklist (PL-41).
const (
	itemPassed       = "passed"
	itemFailed       = "failed"
	itemUnverifiable = "unverifiable"
)

// checklistUnreported is PL-41: a review reports every item of its checklist.
var checklistUnreported = Rule{ID: "PL-41", On: run.Types(runevents.TypeReviewCompleted), Run: run.With(func(c *Context, d *runevents.ReviewCompleted) {
	if silent := (completedReview{c, d}).notReported(); len(silent) > 0 {
		c.run.reportUnreported(silent)
		c.warning(c.judgement("CHECKLIST-NOT-REPORTED", "PL-41", "The review by %s does not report %s of the checklist: %s.", short(d.Reviewer), text.Count(len(silent), "item"), several(silent)))
	}
})}

// checklistFailed is PL-41: a failed item shuts the merge, whatever the verdict.
var checklistFailed = Rule{ID: "PL-41", On: run.Types(runevents.TypeReviewCompleted), Run: run.With(func(c *Context, d *runevents.ReviewCompleted) {
	failed := completedReview{c, d}.fold()
	if len(failed) == 0 {
		return
	}
	c.Gate(runevents.GateDecided{
		Gate: runevents.GateMerge, Decision: runevents.DecisionDeny, Rule: "PL-41", WhoDecides: runevents.DecidedByOperator, Asked: c.Event.ID, Evidence: c.evidence(),
		Why:     fmt.Sprintf("The review by %s (verdict %s) is blocking: %s failed: %s.", short(d.Reviewer), short(d.Verdict), text.Count(len(failed), "item of its checklist", "items of its checklist"), several(failed)),
		Options: slices.Clone(failedOptions),
	})
})}

// checklistAtEnd is PL-41 at the end of a run.
var checklistAtEnd = Rule{ID: "PL-41", On: run.Types(runevents.TypeRunCompleted), Run: func(c *Context) {
	if c.run.On {
		c.unreported()
	}
}}

// mergeAsked is PL-41 at the merge of a wave.
var mergeAsked = Rule{ID: "PL-41", On: run.Types(runevents.TypeWaveMergeRequested), Run: run.With(func(c *Context, d *runevents.WaveMergeRequested) {
	c.mergeGate(d.Wave, false)
})}

var failedOptions = []runevents.Option{
	{ID: "fix", Text: "Fix what failed and review again", Effect: "A review that reports the items as passed opens the gate."},
	{ID: "stop", Text: "Stop the run", Effect: "Nothing is merged."},
}

// completedReview is a review with what is known of the run's checklists (PL-41).
type completedReview struct {
	*Context
	d *runevents.ReviewCompleted
}

// notReported are the items that a review should have judged and did not: those
// of the configuration, those that shaping laid down, and those of the same
// checklist as earlier reviews had it. What another review of the cycle reported
// is reported.
func (r completedReview) notReported() []string {
	var out []string
	reported := map[string]bool{}
	for _, i := range r.d.Checklist {
		if reportedItem(i) {
			reported[key(i.Item)] = true
		}
	}
	miss := func(item string) {
		if k := key(item); k != "" && !reported[k] {
			reported[k] = true
			out = append(out, item)
		}
	}
	for _, i := range r.d.Checklist { // listed without a result
		miss(i.Item)
	}
	for _, item := range r.config.Checklist {
		miss(item)
	}
	of := r.run.reviewersOf(r.d.Checklist)
	for _, item := range r.run.Items {
		if expected(item, r.d, of) {
			miss(item.Item)
		}
	}
	return out
}

// reviewersOf are those who reported an item of the checklist before: what else
// they reported is of the same checklist.
func (r *Run) reviewersOf(checklist []runevents.ChecklistItem) map[string]bool {
	listed := make(map[string]bool, len(checklist))
	for _, i := range checklist {
		listed[key(i.Item)] = true
	}
	out := map[string]bool{}
	for _, known := range r.Items {
		if listed[known.key()] {
			for _, reviewer := range known.From {
				out[reviewer] = true
			}
		}
	}
	return out
}

// expected reports whether a review has to judge an item that is known; of are
// the reviewers of its checklist.
func expected(item Item, d *runevents.ReviewCompleted, of map[string]bool) bool {
	if slices.Contains(item.From, short(d.Reviewer)) {
		return true
	}
	if len(d.Checklist) == 0 || len(item.From) > 0 && item.Cycle == d.Cycle {
		return false
	}
	return item.Shaped || slices.ContainsFunc(item.From, func(reviewer string) bool { return of[reviewer] })
}

func reportedItem(i runevents.ChecklistItem) bool {
	return i.Result == itemPassed || i.Result == itemFailed || i.Result == itemUnverifiable
}

func key(item string) string { return strings.ToLower(short(item)) }

func (i *Item) key() string { return strings.ToLower(i.Item) } // kept short already

// fold folds the review's items and returns those that it failed.
func (r completedReview) fold() []string {
	var failed []string
	for _, i := range r.d.Checklist {
		if !reportedItem(i) || key(i.Item) == "" {
			continue
		}
		known := r.item(i.Item)
		if by := short(r.d.Reviewer); !slices.Contains(known.From, by) {
			known.From = text.Newest(append(known.From, by), 8)
		}
		switch {
		case i.Result == itemFailed:
			known.FailedBy = orUnnamed(r.d.Reviewer)
			failed = append(failed, i.Item)
		case i.Result == itemPassed && (known.FailedBy == orUnnamed(r.d.Reviewer) || r.d.Cycle > known.Cycle):
			known.FailedBy = ""
		}
		known.Cycle, known.Event = r.d.Cycle, r.Event.ID
	}
	return failed
}

func orUnnamed(reviewer string) string {
	if reviewer == "" {
		return "an unnamed reviewer"
	}
	return short(reviewer)
}

// item is the known item of a name; a new one displaces the oldest that has not failed.
func (c *Context) item(name string) *Item {
	want := key(name)
	if i := slices.IndexFunc(c.run.Items, func(k Item) bool { return k.key() == want }); i >= 0 {
		return &c.run.Items[i]
	}
	if len(c.run.Items) >= c.config.Kept.Items {
		i := max(0, slices.IndexFunc(c.run.Items, func(k Item) bool { return k.FailedBy == "" }))
		c.run.Items = slices.Delete(c.run.Items, i, i+1)
	}
	c.run.Items = append(c.run.Items, Item{Item: short(name)})
	return &c.run.Items[len(c.run.Items)-1]
}

// checklistShaped folds the checklist that a shaping phase lays down (PL-41).
var checklistShaped = Rule{ID: "PL-41", Folds: true, On: run.Types(runevents.TypePhaseCompleted), Run: ending(func(c *Context, _ *runevents.PhaseCompleted) {
	for _, a := range c.handover.valid {
		for _, name := range texts(a, "validationChecklist") {
			if key(name) != "" {
				c.item(name).Shaped = true
			}
		}
	}
})}

// reportUnreported marks items that a warning named: the end of the run need not name them again.
func (r *Run) reportUnreported(items []string) {
	named := map[string]bool{}
	for _, name := range items {
		named[key(name)] = true
	}
	for i := range r.Items {
		item := &r.Items[i]
		item.Reported = item.Reported || named[item.key()]
	}
}

// unreported warns, when a run ends or asks to merge, of items that shaping laid
// down and no review reported.
func (c *Context) unreported() {
	var silent []string
	for i := range c.run.Items {
		if item := &c.run.Items[i]; item.Shaped && !item.Reported && len(item.From) == 0 {
			silent = append(silent, item.Item)
			item.Reported = true
		}
	}
	if len(silent) > 0 {
		c.warning(c.judgement("CHECKLIST-NOT-REPORTED", "PL-41", "No review reported %s that shaping laid down: %s.", text.Count(len(silent), "item"), several(silent)))
	}
}

// failing are the items that stand as failed, and the reviews that say so.
func (r *Run) failing() (names, reviews []string) {
	for _, item := range r.Items {
		if item.FailedBy != "" {
			names = append(names, item.Item)
			if !slices.Contains(reviews, item.Event) {
				reviews = append(reviews, item.Event)
			}
		}
	}
	return names, reviews
}

// mergeGate answers the gate merge: a failed item denies it, also where another
// layer has nothing to object.
func (c *Context) mergeGate(wave int, ahead bool) {
	failed, reviews := c.run.failing()
	decided := runevents.GateDecided{
		Gate: runevents.GateMerge, Decision: runevents.DecisionAllow, Rule: "PL-41", WhoDecides: runevents.DecidedByScaffoldwatch, Wave: wave,
		Why: "No item of a review checklist stands as failed.", Asked: c.Event.ID, Ahead: ahead, Evidence: c.evidence(reviews[:min(len(reviews), 3)]...),
	}
	if len(failed) > 0 {
		decided.Decision, decided.WhoDecides, decided.Options = runevents.DecisionDeny, runevents.DecidedByOperator, slices.Clone(failedOptions)
		decided.Why = fmt.Sprintf("A review is blocking: %s failed: %s.", text.Count(len(failed), "item of its checklist", "items of its checklist"), several(failed))
	}
	if !ahead && c.run.On {
		c.unreported()
	}
	if other := c.answered(); other != nil {
		if len(failed) > 0 && other.Passes() {
			*other = decided
		}
		return
	}
	if c.run.On || ahead || len(failed) > 0 {
		c.Gate(decided)
	}
}

// answered is what another layer answers the gate merge that the event asks for.
func (c *Context) answered() *runevents.GateDecided {
	for _, one := range c.Conclusions() {
		if d, is := one.Data.(*runevents.GateDecided); is && d.Gate == runevents.GateMerge && d.Asked == c.Event.ID {
			return d
		}
	}
	return nil
}

// mergedInSpite is PL-41: the run merged although an item failed.
var mergedInSpite = Rule{ID: "PL-41", On: run.Types(runevents.TypeMergeCompleted, runevents.TypeWaveMerged), Run: func(c *Context) {
	failed, reviews := c.run.failing()
	if len(failed) == 0 {
		return
	}
	j := c.judgement("MERGED-WITH-FAILED-CHECKLIST", "PL-41", "The run merged while %s stood as failed: %s.", text.Count(len(failed), "item of a review checklist", "items of a review checklist"), several(failed))
	j.Evidence = c.evidence(reviews[:min(len(reviews), 3)]...)
	c.violation(j)
}}
