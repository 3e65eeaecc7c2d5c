package machines_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// record returns what each stage writes of the inputs.
func record(t *testing.T, inputs []events.Event) map[string][]events.Event {
	t.Helper()
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	written := map[string][]events.Event{}
	chain := core.Chain()
	chain.Folded = func(stage string, _ events.Event, derived []events.Event, _ string) {
		written[stage] = append(written[stage], derived...)
	}
	for _, e := range inputs {
		chain.Feed(e)
	}
	return written
}

// joined is what the evaluator wrote, joined with the turns.
func joined(t *testing.T, written map[string][]events.Event) (all []events.Event) {
	t.Helper()
	turns := written["ingest"]
	joint := machines.Joint{Turns: func() (e events.Event, err error) {
		if len(turns) == 0 {
			return e, io.EOF
		}
		e, turns = turns[0], turns[1:]
		return e, nil
	}}
	for _, e := range written["evaluator"] {
		e, given, err := joint.Take(e)
		require.NoError(t, err)
		if given {
			all = append(all, e)
		}
	}
	return all
}

// Each change alone runs as few detectors as there can be.
func TestJoinedRecordRunsFewDetectors(t *testing.T) {
	inputs := fleet(t)
	joint := joined(t, record(t, inputs))
	different := 0
	for _, text := range otherDetectors {
		o := machines.VariantOptions{Rules: sets(t, text)}
		apart := play(t, o, inputs)
		o.From = machines.Joined
		variants, err := machines.NewVariants(o)
		require.NoError(t, err)
		if variants.From() != machines.Joined {
			continue // the same rules
		}
		different++
		got := play(t, o, joint)
		for i := range apart {
			require.ElementsMatch(t, apart[i], got[i], "%s, variant %d", text, i)
		}
	}
	require.Equal(t, 4, different)
}

// Of what is recorded only the detectors whose rules differ run again, and what is decided is
// what separate machines decide of the whole.
func TestJoinedRecordDecidesAsSeparateMachines(t *testing.T) {
	inputs := fleet(t)
	o := machines.VariantOptions{Rules: sets(t, otherDetectors...), Apart: true}
	apart := play(t, o, inputs)
	written := record(t, inputs)
	for name, bounds := range map[string]memory.Bounds{
		"free": {}, "bounded": {Memory: engine.NewMemory(64 << 10), Groups: 2, Saved: &kept{}},
	} {
		t.Run(name, func(t *testing.T) {
			o := machines.VariantOptions{Rules: o.Rules, From: machines.Joined, Bounds: bounds}
			variants, err := machines.NewVariants(o)
			require.NoError(t, err)
			require.Equal(t, machines.Joined, variants.From())
			got := play(t, o, joined(t, written))
			for i := range apart {
				require.ElementsMatch(t, apart[i], got[i], "variant %d", i)
			}
		})
	}
}
