package policy

import (
	"testing"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// cycles plays cycles 1, 2, … with these open findings, one letter each, and gives
// the cycle that broke the run, 0 for none.
func cycles(p *player, list ...string) int {
	score := 0.9
	for i, open := range list {
		data := &runevents.CycleCompleted{Cycle: i + 1, ConvergenceScore: &score}
		for _, id := range open {
			data.Findings = append(data.Findings, runevents.Finding{ID: string(id)})
		}
		for _, broken := range of[runevents.WiggumBreak](p.feed(data)) {
			if broken.Trigger == runevents.TriggerOscillating {
				return i + 1
			}
		}
	}
	return 0
}

func TestOscillation(t *testing.T) { // RW-30
	for _, c := range []struct {
		name   string
		cycles []string
		want   int
	}{
		{"both at once", []string{"ab", "c", "ab"}, 3},
		{"one alone", []string{"a", "c", "a"}, 0},
		{"two that take turns", []string{"a", "b", "a", "b"}, 4},
		{"one again and again", []string{"ac", "c", "ac", "c", "ac"}, 0},
		{"the second a cycle later", []string{"a", "b", "ac", "bd"}, 4},
		{"the second long after", []string{"a", "c", "a", "ab", "e", "b"}, 0},
		{"gone for two cycles", []string{"ab", "c", "d", "ab"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, cycles(newPlayer(t), c.cycles...))
		})
	}
}

// RW-32: the evidence is every cycle the findings were seen in.
func TestOscillationEvidence(t *testing.T) {
	p := newPlayer(t)
	require.Equal(t, 4, cycles(p, "a", "b", "a", "b"))
	require.Equal(t, runevents.TriggerOscillating, p.state.Control.Open.Trigger)
	require.Contains(t, p.state.Control.Why, "2 findings were there, gone and there again: a, b.")
	p.feed(resume())
	require.Empty(t, p.state.Cycles.Back.Findings, "RW-34: counts anew")
}
