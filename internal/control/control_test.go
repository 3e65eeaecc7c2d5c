package control_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// ordered are the states from the one that stops least.
var ordered = []control.State{
	"", runevents.ControlRunning, runevents.ControlUnknown, runevents.ControlDraining, runevents.ControlPaused, runevents.ControlHalted,
}

// anyState may be one of a newer version.
var anyState = rapid.SampledFrom(append([]control.State{"frozen", "RUNNING"}, ordered...))

func TestOrder(t *testing.T) {
	for i, a := range ordered {
		for j, b := range ordered {
			require.Equal(t, i < j, control.Compare(a, b) < 0, "%q and %q", a, b)
			require.Equal(t, i > j, control.Compare(a, b) > 0, "%q and %q", a, b)
			require.Equal(t, ordered[max(i, j)], control.Stricter(a, b), "%q and %q", a, b)
		}
	}
	require.Equal(t, runevents.ControlUnknown, control.Stricter("frozen", runevents.ControlRunning), "a newer version's state is not known to run")
}

// Stricter is a join: idempotent, commutative, associative, with the empty state as
// its identity, and it agrees with Compare, which is total.
func TestStricterIsAJoin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b, c := anyState.Draw(rt, "a"), anyState.Draw(rt, "b"), anyState.Draw(rt, "c")
		require.Equal(rt, control.Stricter(a, b), control.Stricter(b, a))
		require.Equal(rt, control.Stricter(a, control.Stricter(b, c)), control.Stricter(control.Stricter(a, b), c))
		require.Zero(rt, control.Compare(a, control.Stricter(a, a)))
		require.Zero(rt, control.Compare(a, control.Stricter(a, "")))
		require.Equal(rt, control.Compare(a, b), -control.Compare(b, a))
		require.GreaterOrEqual(rt, control.Compare(control.Stricter(a, b), a), 0)
		if control.Compare(a, b) <= 0 && control.Compare(b, c) <= 0 {
			require.LessOrEqual(rt, control.Compare(a, c), 0)
		}
	})
}

// What a state stops a stricter one stops too; of two known stops both permit what
// they permit together.
func TestWork(t *testing.T) {
	stopped := map[control.State][2]bool{ // step, task
		runevents.ControlDraining: {false, true}, runevents.ControlPaused: {true, true}, runevents.ControlHalted: {true, true},
	}
	permitted := map[control.State][2]bool{runevents.ControlRunning: {true, true}, runevents.ControlDraining: {true, false}}
	for _, s := range append([]control.State{"frozen"}, ordered...) {
		for i, work := range []control.Work{control.Step, control.Task} {
			require.Equal(t, stopped[s][i], control.Stops(s, work), "%q stops %d", s, work)
			require.Equal(t, permitted[s][i], control.Permits(s, work), "%q permits %d", s, work)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		a, b := anyState.Draw(rt, "a"), anyState.Draw(rt, "b")
		work := rapid.SampledFrom([]control.Work{control.Step, control.Task}).Draw(rt, "work")
		both := control.Stricter(a, b)
		require.Equal(rt, control.Stops(a, work) || control.Stops(b, work), control.Stops(both, work))
		if known := ordered[3:]; slices.Contains(known, a) && slices.Contains(known, b) {
			require.Equal(rt, control.Permits(a, work) && control.Permits(b, work), control.Permits(both, work))
		}
		require.False(rt, control.Stops(a, work) && control.Permits(a, work))
	})
}

func TestStrictest(t *testing.T) {
	require.Empty(t, control.Strictest())
	run, session := runevents.Control{State: runevents.ControlHalted, Why: "run"}, runevents.Control{State: runevents.ControlHalted, Why: "session"}
	require.Equal(t, "session", control.Strictest(session, run).Why, "the first one on a tie")
	require.Equal(t, "run", control.Strictest(runevents.Control{State: runevents.ControlPaused}, run).Why)
}

func TestReason(t *testing.T) {
	require.Equal(t, "three failures", control.Reason(runevents.Control{Why: "three failures."}))
	require.Equal(t, "no reason was given", control.Reason(runevents.Control{State: runevents.ControlHalted}))
}
