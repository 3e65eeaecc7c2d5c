package shadow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// shared is the default configuration, read once for all tests.
var shared *Config

// defaultConfig is a copy of its own for each test.
func defaultConfig(t testing.TB) *Config {
	t.Helper()
	if shared == nil {
		var err error
		shared, err = LoadConfig(rules.Default())
		require.NoError(t, err)
	}
	c := *shared
	return &c
}

// Every example of every word list, as the data has them.
func TestWordListsHoldByTheirExamples(t *testing.T) {
	c := defaultConfig(t)
	for _, l := range c.Words.named() {
		t.Run(l.name, func(t *testing.T) {
			require.GreaterOrEqual(t, len(l.list.Examples.Firing), 3, "too few examples")
			require.GreaterOrEqual(t, len(l.list.Examples.Silent), 3, "too few examples")
			for _, text := range l.list.Examples.Firing {
				require.Len(t, l.list.Sentences(reading.Read(text, len(text)), 0), 1, text)
			}
			for _, text := range l.list.Examples.Silent {
				require.Empty(t, l.list.Sentences(reading.Read(text, len(text)), 0), text)
			}
		})
	}
}

// The corrective actions are the specification's, to the letter.
func TestActionsAreTheSpecifications(t *testing.T) {
	c := defaultConfig(t)
	for id, want := range map[string]string{
		"RW-1":           "Summarize top 3 findings and one recommendation in 300 words.",
		"RW-2":           "Design for the current order of magnitude. Remove abstractions for hypothetical requirements.",
		"RW-3":           "Read the proposal. Write a test. Commit. Revert out-of-scope files.",
		"RW-4":           "For each CRITICAL: would a senior engineer block a PR? If not, downgrade. Every rejection needs a specific fix.",
		"RW-5":           "Rank by impact. Keep top 3 with alternatives. Delete the rest.",
		"RW-6":           "Delete findings outside the diff. Rank by likelihood x impact. Keep top 3-5.",
		"RW-7":           "Limit to issues affecting maintainability in 6 months. Every finding needs a specific action.",
		"RW-10":          "Redistribute attention. Are we missing quality, testing, or design concerns?",
		"RW-11":          "Suspicious fast consensus. Re-run Guardian with adversarial prompt.",
		"RW-12":          "Fix CRITICALs first. Park INFO items.",
		"RW-13":          "Stop researching. Ship a proposal with known gaps.",
		"RW-14":          "Lesson ineffective. Reword, strengthen, or remove it.",
		"RW-15":          "Accumulated tech debt. Schedule a cleanup sprint.",
		"RW-16":          "Revert to proposal scope. If more files needed, update the proposal first.",
		"RW-22/lessons":  "Prune to top 5 by frequency.",
		"RW-22/findings": "Summarise into top 5 themes.",
		"RW-22/prompt":   "Strip examples, keep rules.",
	} {
		require.Equal(t, want, c.action(id).Text, id)
	}
	require.Len(t, c.Actions, len(ruleIDs()))
}

func TestConfigRefusesWhatItCannotUse(t *testing.T) {
	for text, want := range map[string]string{
		"shadow: {explorer: {words: 0}}":                        "words",
		"shadow: {words: {tangents: {phrases: ['(']}}}":         "tangents",
		"shadow: {tests: ['(']}":                                "tests",
		"shadow: {documents: ['(']}":                            "documents",
		"shadow: {sections: {synthesis: ['(']}}":                "synthesis",
		"shadow: {actions: [{id: RW-1, text: ''}]}":             "RW-1",
		"shadow: {actions: [{id: RW-22/prompt, remove: true}]}": "RW-22/prompt",
		"shadow: {guardian: {rato: 2}}":                         "ratio",
	} {
		set, err := rules.Load("ours.yaml", []byte(text))
		if err == nil {
			_, err = LoadConfig(set)
		}
		require.ErrorContains(t, err, want, text)
	}
}
