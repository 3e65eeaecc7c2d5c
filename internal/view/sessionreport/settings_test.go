package sessionreport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Every detector of the rule data has words in the report.
func TestEveryDetectorHasWords(t *testing.T) {
	var detectors map[string]rules.DetectorRule
	require.NoError(t, rules.Default().Decode("detectors", &detectors))
	s, err := LoadSettings(rules.Default())
	require.NoError(t, err)
	for _, id := range []string{"AM", "CM", "DM", "EM"} { // what models find (AD-3)
		detectors[id] = rules.DetectorRule{}
	}
	for id := range detectors {
		require.NotEmpty(t, s.Detectors[id].Title, id)
		require.NotEmpty(t, s.Detectors[id].Recommendation, id)
	}
	require.Len(t, s.Detectors, len(detectors), "no words for a detector that does not exist")
	require.Equal(t, 3, s.Budget)
}

func TestLoadSettingsRefuses(t *testing.T) {
	for says, override := range map[string]string{
		"mine.yaml:2":           "report:\n  limits: {timeline: 0}\n",
		"mine.yaml:3":           "dispatch:\n  thresholds: {fire: 3.0}\n  budget: many\n",
		"out of range":          "dispatch:\n  budget: -1\n",
		"\"F\" is not allowed;": "report:\n  debt_classes: [F]\n",
	} {
		set, err := rules.Load("mine.yaml", []byte(override))
		if err == nil {
			_, err = LoadSettings(set)
		}
		require.ErrorContains(t, err, says)
	}
}

func BenchmarkDefaultSettings(b *testing.B) {
	for b.Loop() {
		defaultSettings()
	}
}

// BenchmarkReport folds and renders the busy session.
func BenchmarkReport(b *testing.B) {
	s := busy(b)
	settings := defaultSettings()
	for b.Loop() {
		f := New("busy", settings)
		for _, ev := range s.decisions {
			f.Apply(ev)
		}
		f.Result()
	}
	b.ReportMetric(float64(len(s.decisions)), "events/op")
}
