package backtest_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backtest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	view "github.com/scaffoldwatch/scaffoldwatch/internal/view/backtestreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// compare folds inputs under several sets of rules, each by machines of its own where
// apart is set.
func compare(t *testing.T, apart bool, inputs []events.Event, sets ...*rules.Set) *backtest.Comparison {
	t.Helper()
	c := backtest.New(backtest.Options{Sides: len(sets)})
	variants, err := machines.NewVariants(machines.VariantOptions{Rules: sets, As: c.As, Apart: apart})
	require.NoError(t, err)
	for _, e := range inputs {
		derived, err := variants.Feed(e)
		require.NoError(t, err)
		c.Take(derived)
	}
	return c
}

func prepared(t *testing.T, list []events.Event) []events.Event {
	t.Helper()
	for i, e := range list {
		var err error
		list[i], err = publish.Prepare(e)
		require.NoError(t, err)
	}
	return list
}

func fleet(t *testing.T) (all []events.Event) {
	t.Helper()
	sessions, err := demo.Sessions(time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	all = slices.Concat(sessions...)
	for _, pair := range workload.Fleet(1, 2) {
		all = append(all, pair.Sick.Events...)
	}
	return prepared(t, all)
}

// The same rules give no change (AU-20).
func TestTheSameRulesChangeNothing(t *testing.T) {
	m := compare(t, true, fleet(t), rules.Default(), rules.Default()).Result(1)
	require.Empty(t, m.Changes)
	require.Zero(t, m.Changed)
	require.Greater(t, m.Interrupts.Present, 5)
	for _, e := range m.Effects {
		require.Equal(t, e.Present, e.Given, e.Name)
	}
}

func TestTheSameRulesChangeNothingInRealSessions(t *testing.T) {
	inputs := real(t, "claude-code-long")
	m := compare(t, true, inputs, rules.Default(), rules.Default()).Result(1)
	require.Empty(t, m.Changes)
	require.Greater(t, m.Turns, 1000)
	require.Greater(t, m.Interrupts.Present, 10)
}

// real reads transcripts of agents, as `scan` does.
func real(t *testing.T, folder string) (all []events.Event) {
	t.Helper()
	inputs, err := transcripts.Find([]string{filepath.Join(shareddata.Require(t), "transcripts", folder)}, nil)
	require.NoError(t, err)
	for _, in := range inputs.List {
		_, err := inputs.Read(t.Context(), in, transcript.Options{}, func(int64) {}, func(e events.Event) error {
			all = append(all, e)
			return nil
		})
		require.NoError(t, err)
	}
	return prepared(t, all)
}

// Each shipped number of the dispatcher moved one step gives the table that counting the
// interrupts of two separate scans by hand gives.
func TestTheTableIsWhatTwoScansCount(t *testing.T) {
	inputs := fleet(t)
	present := counted(t, inputs, rules.Default())
	changed := 0
	for setting, step := range map[string]float64{
		"session.fire": -0.8, "session.queue": 0.5, "session.budget": -2, "session.not_self_correct": -0.4, "session.confidence_above": 0.14,
	} {
		_, value, err := rules.Default().Number(setting)
		require.NoError(t, err)
		moved, err := rules.Default().With(setting, value+step)
		require.NoError(t, err)
		given := counted(t, inputs, moved)
		gained, lost := minus(given, present), minus(present, given)
		m := compare(t, false, inputs, rules.Default(), moved).Result(1)
		var tableGained, tableLost []string
		for _, c := range m.Changes {
			if c.Kind != view.KindFire {
				continue
			}
			if c.Way != view.Lost {
				tableGained = append(tableGained, said(c.Group, c.Detector, c.Is))
			}
			if c.Way != view.Gained {
				tableLost = append(tableLost, said(c.Group, c.Detector, c.Was))
			}
		}
		slices.Sort(tableGained)
		slices.Sort(tableLost)
		require.Equal(t, gained, tableGained, setting)
		require.Equal(t, lost, tableLost, setting)
		require.Equal(t, view.Pair{Present: len(present), Given: len(given)}, m.Interrupts, setting)
		if len(gained)+len(lost) > 0 {
			changed++
		}
	}
	require.GreaterOrEqual(t, changed, 3, "the fleet shows too little")
}

func said(group, detector, what string) string { return group + " " + detector + " " + what }

// counted lists the interrupts of one scan.
func counted(t *testing.T, inputs []events.Event, set *rules.Set) []string {
	t.Helper()
	core, err := machines.New(machines.Options{Rules: set})
	require.NoError(t, err)
	chain := core.Chain()
	var out []string
	for _, e := range inputs {
		for _, d := range chain.Feed(e) {
			if i, ok := d.Data.(*sessionevents.InterruptFired); ok {
				how := "at once"
				if i.FromQueue {
					how = "from the queue"
				}
				out = append(out, said(d.Subject, i.Detector, fmt.Sprintf("turn %d: %s, %s", i.Turn, how, i.UrgencyLabel)))
			}
		}
	}
	slices.Sort(out)
	return out
}

// minus lists what is in a more often than in b.
func minus(a, b []string) (out []string) {
	left := map[string]int{}
	for _, text := range a {
		left[text]++
	}
	for _, text := range b {
		left[text]--
	}
	for _, text := range slices.Sorted(maps.Keys(left)) {
		out = append(out, slices.Repeat([]string{text}, max(left[text], 0))...)
	}
	return out
}

// A sweep's row is what a comparison with the same rules counts.
func TestASweepCountsAsAComparison(t *testing.T) {
	inputs := fleet(t)
	low, err := rules.Default().With("session.fire", 3)
	require.NoError(t, err)
	m := compare(t, false, inputs, rules.Default(), low).Result(1)
	row := compare(t, false, inputs, rules.Default(), rules.Default(), low).Row(2, []float64{3})
	gained := 0
	for _, d := range m.Detectors {
		gained += d.Gained
	}
	require.Equal(t, m.Interrupts.Given, row.Interrupts)
	require.Equal(t, gained, row.Gained)
	require.Equal(t, row.Interrupts, row.Kept.Total()+row.New.Total())
	var b strings.Builder
	require.NoError(t, view.Report(m).Write(&b, "text", doc.Screen{}))
	require.Contains(t, b.String(), fmt.Sprintf("%d → %d interrupts", m.Interrupts.Present, m.Interrupts.Given))
}

// Several workers find what one finds, in the same order.
func TestWorkersJoinToOneComparison(t *testing.T) {
	inputs := fleet(t)
	low, err := rules.Default().With("session.fire", 3)
	require.NoError(t, err)
	results := map[int]view.Model{}
	for _, n := range []int{1, 3} {
		comparisons := []*backtest.Comparison{backtest.New(backtest.Options{Sides: 2})}
		first, err := machines.NewVariants(machines.VariantOptions{Rules: []*rules.Set{rules.Default(), low}, As: comparisons[0].As})
		require.NoError(t, err)
		workers := []*machines.Variants{first}
		for len(workers) < n {
			c := backtest.New(backtest.Options{Sides: 2})
			comparisons, workers = append(comparisons, c), append(workers, first.Another(c.As))
		}
		spread := machines.NewSpread(t.Context(), workers, func(worker, number int, derived [][]events.Event) {
			comparisons[worker].TakeAt(number, derived)
		})
		for _, e := range inputs {
			require.NoError(t, spread.Feed(e))
		}
		require.NoError(t, spread.Wait())
		for _, c := range comparisons[1:] {
			require.NotZero(t, c.Result(1).Turns, "a worker had nothing to do")
			comparisons[0].Join(c)
		}
		results[n] = comparisons[0].Result(1)
	}
	require.NotEmpty(t, results[1].Changes)
	require.Equal(t, results[1], results[3])
	require.Equal(t, compare(t, true, inputs, rules.Default(), low).Result(1), results[1])
}
