package agents

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// done is the last thing the model says.
const done = "ALL-OF-IT-IS-DONE"

// saysDone runs commands, then says that it is done.
func saysDone(commands ...string) mockmodel.Plan {
	work := mockmodel.Commands(commands...)
	return func(r mockmodel.Request) mockmodel.Step {
		step := work(r)
		if step.Run == "" {
			step.Say = done
		}
		return step
	}
}

// With nothing that answers, a terminal shows one helpful line of ours in a session
// and nothing per tool call (CO-3).
func TestATerminalStaysQuiet(t *testing.T) {
	for _, a := range allAgents {
		t.Run(a.name, func(t *testing.T) {
			b := prepare(t, a, saysDone("touch one", "touch two", "touch three"))
			b.install("http://" + freeAddress(t))
			screen := b.open("do it").shows(done)
			t.Logf("the terminal:\n%s", screen)
			require.True(t, b.made("three"))
			require.Equal(t, 1, lines(screen, "scaffoldwatch is not running"), "it is said once")
			require.NotContains(t, screen, "hook error")
			require.NotContains(t, screen, "ECONNREFUSED")
			require.NotContains(t, screen, "no answer from")
		})
	}
}
