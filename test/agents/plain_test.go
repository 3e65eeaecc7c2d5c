package agents

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// Without scaffoldwatch: the mock models are good enough for the agents to work.
func TestMockModels(t *testing.T) {
	for _, a := range allAgents {
		t.Run(a.name, func(t *testing.T) {
			b := prepare(t, a, mockmodel.Commands("touch one", "touch two"))
			o := b.run()
			require.Zero(t, o.code, "%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
			require.True(t, b.made("one") && b.made("two"))
			require.Len(t, b.model.Requests(), 3)
		})
	}
}
