package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/control"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/test/fleet"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// A fleet of runs with every dysfunction there is, beside their clean twins, on one
// broker: each break once, silence about the twins, and the control state of each
// run where its harness reads it (EV-8). In short, every fourth of them.
func TestFleet(t *testing.T) {
	core := newCore(t)
	var cases []workload.Case
	var all []events.Event
	want := map[string]int{}
	every := proofs.Size(4, 1)
	for i, pair := range workload.Fleet(8, workload.Dysfunctions()) {
		if pair.Sick.Offline || i%every != 0 {
			continue
		}
		for _, c := range []workload.Case{pair.Sick, pair.Clean} {
			fed, decided := fleet.Play(core.Chain(), c, true)
			for _, e := range decided {
				if _, compared := shown(t, e); compared {
					want[e.Group()]++
				}
			}
			cases, all = append(cases, c), append(all, fed...)
		}
	}
	slices.SortStableFunc(all, func(a, b events.Event) int { return a.Time.Compare(b.Time) })
	s := start(t, nil)
	s.publish(all)
	s.awaitEach(want)
	got := map[string][]events.Event{}
	s.decisions(func(e events.Event) { got[runOf(e)] = append(got[runOf(e)], e) })
	for _, c := range cases {
		var decided []events.Event
		for _, run := range c.Runs() {
			decided = append(decided, got[run]...)
		}
		require.Empty(t, fleet.Judge(c, decided, true))
	}
	requireControl(t, s, cases)
}

// runOf returns the run that an event is about, also in the group of its project.
func runOf(e events.Event) string {
	if run := e.Correlation; run != "" {
		return run
	}
	return e.Group()
}

// requireControl requires the bucket to have exactly the broken runs as halted.
func requireControl(t *testing.T, s *running, cases []workload.Case) {
	t.Helper()
	require.Eventually(t, func() bool {
		behind, err := control.Check(t.Context(), s.broker)
		return err == nil && len(behind) == 0
	}, patience, 20*time.Millisecond)
	states := map[string]runevents.ControlState{}
	require.NoError(t, control.Kept(t.Context(), s.broker, func(key string, kept runevents.Control) { states[key] = kept.State }))
	for _, c := range cases {
		for i, run := range c.Runs() {
			key := runevents.RunControlKey(run)
			if c.Alone() {
				key = runevents.SessionControlKey(run)
			}
			if c.Break != "" && i == len(c.Runs())-1 {
				require.Equal(t, runevents.ControlHalted, states[key], "%s of %s", run, c.Name)
			} else {
				require.NotContains(t, []runevents.ControlState{runevents.ControlHalted, runevents.ControlDraining}, states[key], "%s of %s", run, c.Name)
			}
		}
	}
}
