package archeflow

import (
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// verdicts maps ArcheFlow's words to the contract's.
var verdicts = map[string]string{
	"approved": "approved", "approve": "approved", "approved_with_notes": "approved", "approved_with_fixes": "approved", "pass": "approved",
	"rejected": "rejected", "reject": "rejected", "needs_changes": "rejected", "changes_requested": "rejected", "fail": "rejected",
	"clean": "clean", "minor": "minor", "blocking": "blocking",
}

func (r *run) verdict(f *fields) {
	verdict := verdicts[strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(string(f.Verdict)))]
	if verdict == "" {
		r.d.problem(r.now, "a review.verdict that neither approves nor rejects")
		return
	}
	reviewer := r.now.role(f)
	if reviewer == "" {
		r.d.problem(r.now, "a review.verdict without a reviewer")
		return
	}
	list := []runevents.Finding(f.Findings)
	known := r.files.fixes(list, reviewer, r.cycle)
	r.reviewed = true
	r.reviews = append(r.reviews, list...)
	r.reviews = r.reviews[:min(len(r.reviews), maxFindings)]
	duration := int64(f.DurationMS)
	if duration <= 0 {
		duration = r.durations[reviewer]
	}
	r.tell(runevents.TypeReviewCompleted, &runevents.ReviewCompleted{
		Actor: actor(), Reviewer: reviewer, Cycle: r.cycle, Verdict: verdict, Findings: withUnsaid(list, known), DurationMS: duration,
	})
}
