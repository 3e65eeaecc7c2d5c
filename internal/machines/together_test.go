package machines_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// otherDetectors are rules that differ in what single detectors read: one setting each, several, a
// mode, and the dispatcher's beside them. The last are the first again.
var otherDetectors = []string{
	"refetch: {window_turns: 2}",
	"stuckloop: {repeat: {nudge: 2, loop: 3}}",
	"detectors: {B1: {mode: \"off\"}, A1: {mode: observe}, C2: {mode: \"off\"}}",
	"duplicatebuild: {substantial: 0.7}\ndispatch: {thresholds: {fire: 2.5}, budget: 1}",
	"",
}

// One evaluator for all decides what separate ones decide.
func TestOneEvaluatorDecidesAsSeparateOnes(t *testing.T) {
	inputs := fleet(t)
	for name, bounds := range map[string]memory.Bounds{
		"free": {}, "bounded": {Memory: engine.NewMemory(64 << 10), Groups: 2, Saved: &kept{}},
	} {
		t.Run(name, func(t *testing.T) {
			o := machines.VariantOptions{Rules: sets(t, otherDetectors...), Bounds: bounds}
			shared := play(t, o, inputs)
			o.Apart, o.Bounds = true, memory.Bounds{}
			apart := play(t, o, inputs)
			different := 0
			for i := range apart {
				require.Equal(t, apart[i], shared[i], "variant %d", i)
				if len(apart[i]) != len(apart[0]) {
					different++
				}
			}
			require.GreaterOrEqual(t, different, 2, "the rules decide nothing differently")
			require.Equal(t, shared[0], shared[len(shared)-1])
		})
	}
}

// What everything else reads, too, is evaluated apart.
func TestOnlyWhatDetectorsAloneReadIsEvaluatedTogether(t *testing.T) {
	for text, shared := range map[string]bool{
		"refetch: {window_turns: 2}":                                    true,
		"detectors: {B1: {mode: \"off\"}}":                              true,
		"refetch: {window_turns: 2}\nevaluate: {sessions: 60}":          false,
		"detection: {priming_turns: 1}":                                 false,
		"userrules: {limits: {detectors: 100}}":                         false,
		"dispatch: {thresholds: {fire: 2.5}}\nevaluate: {sessions: 50}": false,
	} {
		set, err := rules.Load("ours.yaml", []byte(text))
		require.NoError(t, err)
		variants, err := machines.NewVariants(machines.VariantOptions{Rules: []*rules.Set{rules.Default(), set}})
		require.NoError(t, err)
		require.Equal(t, shared, variants.Shared(), text)
	}
}
