package runreport_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// core is the chain's machines, made once: they keep no state.
var core = sync.OnceValues(func() (*machines.Core, error) { return machines.New(machines.Options{Rules: rules.Default()}) })

// play feeds a script through the whole chain and gives DECISIONS, by step.
func play(t testing.TB, script *scenario.Script) [][]events.Event {
	core, err := core()
	require.NoError(t, err)
	chain := core.Chain()
	feed := func(e events.Event) []events.Event {
		input, err := publish.Prepare(e)
		require.NoError(t, err)
		input.Raw, err = events.EncodeData(input)
		require.NoError(t, err)
		return chain.Feed(input)
	}
	opened, steps := script.Inputs()
	if opened != nil {
		feed(*opened)
	}
	var out [][]events.Event
	for _, step := range steps {
		out = append(out, feed(step))
	}
	return out
}
