package machines_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// fleet is the sample fleet and runs with something wrong, interleaved.
func fleet(t *testing.T) (all []events.Event) {
	t.Helper()
	start := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	sessions, err := demo.Sessions(start)
	require.NoError(t, err)
	for _, session := range sessions {
		all = append(all, session...)
	}
	for _, pair := range workload.Fleet(1, 2) {
		all = append(all, pair.Sick.Events...)
	}
	slices.SortStableFunc(all, func(a, b events.Event) int { return a.Time.Compare(b.Time) })
	for i := range all {
		all[i], err = publish.Prepare(all[i])
		require.NoError(t, err)
	}
	return all
}

// play returns what each variant decides, as JSON.
func play(t *testing.T, o machines.VariantOptions, inputs []events.Event) [][]string {
	t.Helper()
	variants, err := machines.NewVariants(o)
	require.NoError(t, err)
	out := make([][]string, len(o.Rules))
	for _, e := range inputs {
		derived, err := variants.Feed(e)
		require.NoError(t, err)
		for i, list := range derived {
			for _, d := range list {
				d.ConfigHash = "" // shared stages carry that of the first variant
				line, err := events.MarshalStructured(d)
				require.NoError(t, err)
				out[i] = append(out[i], string(line))
			}
		}
	}
	require.Empty(t, variants.DeadLetters())
	return out
}

func sets(t *testing.T, overrides ...string) []*rules.Set {
	t.Helper()
	out := []*rules.Set{rules.Default()}
	for _, text := range overrides {
		set, err := rules.Load("ours.yaml", []byte(text))
		require.NoError(t, err)
		out = append(out, set)
	}
	return out
}

// Sharing ingest and evaluator decides what separate machines decide, and each variant
// what its rules decide alone.
func TestSharedStagesDecideAsSeparateOnes(t *testing.T) {
	inputs := fleet(t)
	o := machines.VariantOptions{Rules: sets(t, "dispatch: {thresholds: {fire: 2.5}, budget: 1}", "govern: {stuck_loop: {fresh_repeats: 2}}")}
	shared := play(t, o, inputs)
	o.Apart = true
	apart := play(t, o, inputs)
	for i := range shared {
		require.Equal(t, apart[i], shared[i], "variant %d", i)
	}
	require.NotEqual(t, apart[0], apart[1])
	for i, set := range o.Rules {
		core, err := machines.New(machines.Options{Rules: set})
		require.NoError(t, err)
		chain := core.Chain()
		var alone []string
		for _, e := range inputs {
			for _, d := range chain.Feed(e) {
				d.ConfigHash = ""
				line, err := events.MarshalStructured(d)
				require.NoError(t, err)
				alone = append(alone, string(line))
			}
		}
		require.Equal(t, alone, apart[i], "variant %d", i)
	}
}

// What is derived does not depend on how much is kept in memory (AU-22).
func TestBoundsDoNotChangeDecisions(t *testing.T) {
	inputs := fleet(t)
	o := machines.VariantOptions{Rules: sets(t, "dispatch: {thresholds: {fire: 2.5}}")}
	free := play(t, o, inputs)
	kept := &kept{}
	o.Bounds = memory.Bounds{Memory: engine.NewMemory(64 << 10), Groups: 2, Saved: kept}
	require.Equal(t, free, play(t, o, inputs))
	require.NotZero(t, kept.got, "nothing was rebuilt")
}

// A change of what a detector reads is evaluated apart, also without being asked.
func TestDetectorsOfOtherRulesAreEvaluatedApart(t *testing.T) {
	inputs := fleet(t)
	off := play(t, machines.VariantOptions{Rules: sets(t, "detectors: {B1: {mode: \"off\"}}")}, inputs)
	require.NotEqual(t, off[0], off[1])
}

func TestInvalidRulesAreAnErrorBeforeAnythingIsRead(t *testing.T) {
	for text, problem := range map[string]string{
		"dispatch: {thresholds: {fire: 1.0}}": "fire 1.0 must be above queue 2.0",
		"refetch: {window_turns: -4}":         "ours.yaml:1",
	} {
		_, err := machines.NewVariants(machines.VariantOptions{Rules: sets(t, text)})
		require.ErrorContains(t, err, problem)
	}
}

// kept is a [memory.Saved] that counts.
type kept struct {
	data [][]byte
	got  int
}

func (k *kept) Put(data []byte) (int64, error) {
	k.data = append(k.data, slices.Clone(data))
	return int64(len(k.data) - 1), nil
}

func (k *kept) Get(place int64, size int) ([]byte, error) {
	k.got++
	if len(k.data[place]) != size {
		return nil, errors.New("another size")
	}
	return k.data[place], nil
}

// What the stages wrote is folded to the same decisions as what they read, from each
// stage on.
func TestRecordedEventsAreFoldedOn(t *testing.T) {
	inputs := fleet(t)
	o := machines.VariantOptions{Rules: sets(t, "dispatch: {thresholds: {fire: 2.5}, budget: 1}")}
	want := play(t, o, inputs)
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
	for _, stage := range []string{"ingest", "evaluator"} {
		o.From = stage
		got := play(t, o, written[stage])
		for i := range want {
			require.ElementsMatch(t, want[i], got[i], "%s, variant %d", stage, i)
		}
	}
}
