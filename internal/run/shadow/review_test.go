package shadow

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// One review by one reviewer in one cycle counts once, in whatever order and under
// whatever name it comes (RW-4, RW-11).
func TestOneReviewCountsOnceUnderEveryName(t *testing.T) {
	completed := func(p *play) {
		p.data(runevents.TypeAgentCompleted, "run", &runevents.AgentCompleted{AgentID: "g-7", Archetype: "guardian", Cycle: 1, Outcome: "success", Verdict: "approved", DurationMS: 5000})
	}
	reviewed := func(p *play) {
		p.data(runevents.TypeReviewCompleted, "run", &runevents.ReviewCompleted{Reviewer: "guardian", Cycle: 1, Verdict: "approved", DurationMS: 5000})
	}
	for name, order := range map[string][]func(*play){
		"the review first": {reviewed, completed}, "the agent first": {completed, reviewed},
	} {
		p := newPlay(t, defaultConfig(t))
		p.data(runevents.TypeRunStarted, "run", &runevents.RunStarted{Workflow: "standard"})
		for _, feed := range order {
			feed(p)
		}
		require.Len(t, p.state.Run.reviewsOf(1), 1, name)
		require.Equal(t, "g-7", p.state.Run.reviewsOf(1)[0].Reviewer, name)
		p.data(runevents.TypeAgentCompleted, "run", &runevents.AgentCompleted{AgentID: "g-8", Archetype: "guardian", Cycle: 1, Outcome: "success", Verdict: "approved", DurationMS: 5000})
		require.Len(t, p.state.Run.reviewsOf(1), 2, "another agent of the kind is another reviewer")
	}
}
