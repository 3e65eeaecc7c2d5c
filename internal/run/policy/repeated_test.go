package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// RW-30: a shadow is counted by its subject and the cycle it names, else the one
// that runs; the break names both and the last times.
func TestRepeatedShadowsByCycle(t *testing.T) {
	seen := func(issue string, cycle int) *sessionevents.Signal {
		return shadow(sessionevents.LayerArchetype, issue, cycle)
	}
	reported := func(name string, cycle int) *runevents.ShadowReported {
		return &runevents.ShadowReported{Archetype: "Maker", Shadow: name, Cycle: cycle}
	}
	running := func(cycle int) *runevents.PhaseStarted { return &runevents.PhaseStarted{Phase: "do", Cycle: cycle} }
	for name, test := range map[string]struct {
		events []any
		want   string
	}{
		"three times":                      {[]any{seen("maker/rogue", 1), seen("maker/rogue", 1), seen("maker/rogue", 1)}, "RW-3 (rogue) was seen 3 times in cycle 1, the last time: No test."},
		"twice":                            {[]any{seen("maker/rogue", 1), seen("maker/rogue", 1)}, ""},
		"of two shadows":                   {[]any{seen("maker/rogue", 1), seen("maker/rogue", 1), seen("sage/bureaucrat", 1)}, ""},
		"in the cycle that runs":           {[]any{running(2), seen("maker/rogue", 0), seen("maker/rogue", 0), seen("maker/rogue", 2)}, "RW-3 (rogue) was seen 3 times in cycle 2, the last time: No test."},
		"in two cycles that ran":           {[]any{running(2), seen("maker/rogue", 0), seen("maker/rogue", 0), running(3), seen("maker/rogue", 0)}, ""},
		"without cycles":                   {[]any{seen("maker/rogue", 0), seen("maker/rogue", 0), seen("maker/rogue", 0)}, "RW-3 (rogue) was seen 3 times in this cycle, the last time: No test."},
		"the cycle it names is an earlier": {[]any{running(2), seen("maker/rogue", 1), seen("maker/rogue", 1), seen("maker/rogue", 0)}, ""},
		"as the orchestrator reports it": {
			[]any{reported("rogue", 1), reported("Rogue", 1), reported("rogue", 1)},
			"The orchestrator reported the shadow rogue of maker 3 times in cycle 1.",
		},
		"reported in two cycles": {
			[]any{reported("rogue", 1), reported("rogue", 2), reported("rogue", 1)},
			"",
		},
		"of two shadows reported": {
			[]any{reported("rogue", 1), reported("hasty", 1), reported("rogue", 1)},
			"",
		},
		"seen and reported, of one work": {[]any{
			seen("maker/rogue", 1), reported("rogue", 1),
			seen("maker/rogue", 1), reported("rogue", 1),
		}, ""},
		"of the system's layer": {[]any{
			shadow(sessionevents.LayerSystem, "a/b", 1),
			shadow(sessionevents.LayerSystem, "a/b", 1), shadow(sessionevents.LayerSystem, "a/b", 1),
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlayer(t)
			var out []string
			for _, data := range test.events {
				for _, broken := range of[runevents.WiggumBreak](p.feed(data)) {
					out = append(out, broken.Reason)
					require.Len(t, broken.Evidence, 3)
				}
			}
			if test.want == "" {
				require.Empty(t, out)
				return
			}
			require.Equal(t, []string{test.want + " The task needs to be broken down or re-scoped."}, out)
		})
	}
}

// RW-30: the shadow of a suppressed signal does not count.
func TestSuppressedShadowsDoNotCount(t *testing.T) {
	p := newPlayer(t)
	signal := shadow(sessionevents.LayerArchetype, "maker/rogue", 1)
	p.feed(signal, signal)
	immune := shadow(sessionevents.LayerArchetype, "maker/rogue", 1)
	immune.Suppressed = "genuine"
	require.Empty(t, of[runevents.WiggumBreak](p.feed(immune)))
	require.Len(t, of[runevents.WiggumBreak](p.feed(signal)), 1)
}

// RW-30, RW-34: after the resume a shadow counts from the beginning; beyond the
// limit only the latest times are evidence.
func TestRepeatedShadowsAfterTheResume(t *testing.T) {
	p := newPlayer(t)
	signal := shadow(sessionevents.LayerArchetype, "maker/rogue", 1)
	p.feed(signal, signal, signal)
	noted := of[runevents.BreakNoted](p.feed(signal))
	require.Len(t, noted, 1)
	require.Equal(t, []string{"e2", "e3", "e4"}, noted[0].Evidence)
	p.feed(resume())
	require.Empty(t, of[runevents.WiggumBreak](p.feed(signal)))
	require.Empty(t, of[runevents.WiggumBreak](p.feed(signal)))
	require.Len(t, of[runevents.WiggumBreak](p.feed(signal)), 1)
}
