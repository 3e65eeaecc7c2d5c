package budget

import (
	"maps"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// loaded is read once: histories are many, and reading takes longer than playing.
var loaded = sync.OnceValues(func() (*Config, error) { return LoadConfig(rules.Default()) })

// defaultConfig is a copy of the embedded configuration.
func defaultConfig(t require.TestingT) *Config {
	c, err := loaded()
	require.NoError(t, err)
	own := *c
	own.Detectors = maps.Clone(c.Detectors)
	return &own
}

// The figures of the specification are the defaults.
func TestDefaultsAreTheSpecification(t *testing.T) {
	c := defaultConfig(t)
	require.Equal(t, 3, c.Budget, "DP-15")
	require.Equal(t, 2, c.CooldownTurns, "DP-14")
	require.Equal(t, "4.0", c.fire().String(), "DP-2")
	require.Equal(t, "2.0", c.queue().String(), "DP-2")
	require.Equal(t, 25, c.Queue.MaxAgeTurns, "DP-17")
	require.Equal(t, 3, c.Queue.MaxDelivered, "DP-17")
	require.Equal(t, 3, c.Queue.PatienceTurns, "DP-16")
	require.Equal(t, []string{"C3", "C4", "D3"}, c.Queue.Spirals, "DP-16")
	require.Equal(t, 10, c.OncePerStreak.AgainAfter, "JD-42: not the same advice within 12 turns; DP-23: more than breaks a session")
	require.Equal(t, Watch{Classes: []sessionevents.Class{"A", "B", "E"}, Turns: 10}, c.Watch, "DP-11")
	require.Equal(t, 40, c.Interrupt.MaxWords, "DP-20")
	require.Equal(t, []sessionevents.Class{"B", "E", "A", "C", "D"}, c.ClassOrder, "DP-13")
	require.Equal(t, rules.ModeOn, c.Mode, "DP-25")
}

func TestLoadConfigRefuses(t *testing.T) {
	for name, test := range map[string]struct{ override, says string }{
		"mode":        {"dispatch:\n  mode: off\n", "is not allowed"},
		"thresholds":  {"dispatch:\n  thresholds: {fire: 2.0}\n", "must be above queue"},
		"fraction":    {"dispatch:\n  escalation: {confidence_above: 85}\n", "mine.yaml:2"},
		"count":       {"dispatch:\n  cooldown_turns: 0\n", "mine.yaml:2"},
		"class":       {"dispatch:\n  class_order: [A, F]\n", "mine.yaml:2"},
		"class order": {"dispatch:\n  class_order: [A, A, B, C, D]\n", "name A, B, C, D and E once each"},
		"mute scope":  {"dispatch:\n  mutes: [{scope: planet, reason: r, by: b}]\n", "mine.yaml:2"},
		"mute names":  {"dispatch:\n  mutes: [{scope: detector, reason: r, by: b}]\n", "requires a detector"},
		"mute author": {"dispatch:\n  mutes: [{scope: project, detector: D1}]\n", "requires a reason and an author"},
		"mute until":  {"dispatch:\n  mutes: [{scope: project, reason: r, by: b, until: soon}]\n", "mine.yaml:2"},
		"unknown key": {"dispatch:\n  budgets: 3\n", "mine.yaml:2"},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := rules.Load("mine.yaml", []byte(test.override))
			if err == nil {
				_, err = LoadConfig(set)
			}
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestLoadConfigTakesProjectMutes(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("dispatch:\n  mutes: [{scope: project, detector: D1, reason: r, by: b, until: 2026-12-31T00:00:00Z}]\n"))
	require.NoError(t, err)
	c, err := LoadConfig(set)
	require.NoError(t, err)
	require.Equal(t, 2026, c.Mutes[0].Until.Year())
}

func TestLoadConfigTakesDetectorModes(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("detectors:\n  C1: {mode: observe}\n"))
	require.NoError(t, err)
	c, err := LoadConfig(set)
	require.NoError(t, err)
	require.True(t, c.observes("C1"))
	require.False(t, c.observes("B1"))
}

// DP-1: half up, with C3's own three figures.
func TestScore(t *testing.T) {
	c := defaultConfig(t)
	for _, test := range []struct {
		cost      int
		p         float64
		class     sessionevents.Class
		committed bool
		want      string
	}{
		{1, 0.5, "C", false, "0.5"},
		{2, 0.2, "C", false, "1.6"},
		{3, 0.3, "A", false, "2.1"},
		{1, 0.85, "C", false, "0.2"},
		{5, 0.5, "A", true, "4.0"},
		{5, 0.5, "C", true, "2.5"},
		{4, 0.1, "D", true, "3.6"},
		{5, 0, "A", false, "5.0"},
	} {
		s := &sessionevents.Signal{ReworkCost: test.cost, SelfCorrect: test.p, Class: test.class}
		require.Equal(t, test.want, c.score(s, test.committed).String(), "%+v", test)
	}
	require.Equal(t, "3.0", c.score(&sessionevents.Signal{Urgency: 30}, true).String(), "no cost: the urgency it came with")
}
