package archeflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// IN-12: the status with which an agent ends; money that is recorded by a line of its own.
func TestStatusAndCost(t *testing.T) {
	for output, want := range map[string][2]string{
		"Done what I could.\\n\\nSTATUS: BLOCKED":                    {"blocked", runevents.RunOutcomeFailure},
		"**Status:** NEEDS_CONTEXT - which till?":                    {"partial", runevents.RunOutcomeFailure},
		"It may be BLOCKED by the drawer.\\nDONE_WITH_CONCERNS":      {"complete", runevents.RunOutcomeSuccess},
		"BLOCKED\\nThe key came.\\nDONE":                             {"complete", runevents.RunOutcomeSuccess},
		"The request is BLOCKED until the drawer opens, as planned.": {"", runevents.RunOutcomeSuccess},
	} {
		list, _ := read(t, line(1, "run.start", "plan", "", `{"task":"refunds"}`)+
			line(2, "agent.complete", "do", "maker", `{"archetype":"maker","output":"`+output+`"}`), transcript.Options{})
		done := of[runevents.AgentCompleted](list)
		require.Len(t, done, 1)
		require.Equal(t, want, [2]string{done[0].Status, done[0].Outcome}, output)
	}
	list, s := read(t, line(1, "run.start", "plan", "", `{"task":"refunds"}`)+
		line(2, "cost.recorded", "plan", "", `{"cost_usd":0.25}`)+line(3, "cost.recorded", "do", "", `{"cost_usd":"$0.50"}`), transcript.Options{})
	spent := of[runevents.SpendReported](list)
	require.Len(t, spent, 2)
	require.InDelta(t, 0.75, spent[1].Spent, 1e-9)
	_, problems := s.Problems()
	require.Zero(t, problems)
}
