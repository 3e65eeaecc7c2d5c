package run_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
)

// One review by one reviewer in one cycle counts once, under whatever name.
func TestOneReviewUnderManyNames(t *testing.T) {
	agent := run.Reviewer{Name: "g-1", Archetype: "guardian", Cycle: 1, Completed: true}
	for name, c := range map[string]struct {
		other run.Reviewer
		same  bool
	}{
		"by the agent's id":        {run.Reviewer{Name: "g-1", Cycle: 1, Reviewed: true}, true},
		"by the archetype":         {run.Reviewer{Name: "Guardian", Cycle: 1, Reviewed: true}, true},
		"by both again":            {run.Reviewer{Name: "g-1", Cycle: 1, Completed: true}, true},
		"in another cycle":         {run.Reviewer{Name: "g-1", Cycle: 2, Reviewed: true}, false},
		"by another reviewer":      {run.Reviewer{Name: "sage", Cycle: 1, Reviewed: true}, false},
		"another agent of a kind":  {run.Reviewer{Name: "g-2", Archetype: "guardian", Cycle: 1, Completed: true}, false},
		"nobody named":             {run.Reviewer{Cycle: 1, Reviewed: true}, false},
		"its own name, no link":    {run.Reviewer{Name: "security-review", Cycle: 1, Reviewed: true}, false},
		"a second of its own kind": {run.Reviewer{Name: "guardian", Cycle: 1, Completed: true}, false},
	} {
		require.Equal(t, c.same, agent.Same(c.other), name)
		require.Equal(t, c.same, c.other.Same(agent), name)
	}
	joined := run.Reviewer{Name: "guardian", Cycle: 1, Reviewed: true}.Join(agent)
	require.Equal(t, run.Reviewer{Name: "g-1", Archetype: "guardian", Cycle: 1, Reviewed: true, Completed: true}, joined)
	require.False(t, joined.Same(run.Reviewer{Name: "guardian", Cycle: 1, Reviewed: true}), "the next one is another")
}
