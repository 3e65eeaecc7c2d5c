package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/spec"
	"github.com/scaffoldwatch/scaffoldwatch/test/ruletrace"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata and docs/conformance.md")

func TestScenarios(t *testing.T) {
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			end := ruletrace.Scenario(path)
			defer func() { require.NoError(t, end()) }()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			script, err := scenario.Parse(string(text))
			require.NoError(t, err, path)
			require.NotEmpty(t, script.Covers, "%s: say what it covers: # covers: SW-1 firing", path)
			got, err := newPlayer(core, shown(script)).play(script)
			require.NoError(t, err)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(script.Rewritten(got)), 0o644))
				return
			}
			for i, step := range script.Steps {
				require.Equal(t, step.Expected, got[i], "%s, step %d:\n%s", path, i+1, step.Source)
			}
		})
	}
}

// shown returns what a script's "# show:" line asks for beside signals and decisions.
func shown(script *scenario.Script) string {
	_, rest, _ := strings.Cut(script.Header, "# show: ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// Every rule has a firing and a silent scenario, every validator one, and no
// scenario names what does not exist.
func TestEveryRuleIsCovered(t *testing.T) {
	list := catalogue()
	files, err := covered()
	require.NoError(t, err)
	known := map[string]bool{}
	for _, r := range list {
		for _, demand := range r.demands() {
			known[demand] = true
			if len(files[demand]) == 0 {
				t.Errorf("no scenario covers %s; add one with the head line `# covers: %s`", demand, demand)
			}
		}
	}
	for what, where := range files {
		if !known[what] {
			t.Errorf("%v covers %q, which no rule and no doc.md names", where, what)
		}
	}
}

// A validator without a name cannot be covered.
func TestEveryValidatorIsNamed(t *testing.T) {
	for _, d := range all.Detectors() {
		for _, bullet := range unnamed(d.Doc) {
			t.Errorf("detectors/%s/doc.md: begin the validator with its name in backticks and a colon: %s", d.Name, bullet)
		}
	}
}

func TestPageIsFresh(t *testing.T) {
	list := catalogue()
	files, err := covered()
	require.NoError(t, err)
	path := filepath.Join(root, "docs", "conformance.md")
	theirs, err := readUpstreams()
	require.NoError(t, err)
	want := page(list, files, theirs)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "docs/conformance.md is stale: go test ./test/conformance -update")
}

// A firing scenario shows the outcome of its rule, a silent one does not, and one
// file is never both. What the files show is what the core derives: the players
// of their packages compare it.
func TestClaimsAreShown(t *testing.T) {
	outcomes := outcomesOf(t)
	files, err := covered()
	require.NoError(t, err)
	for _, c := range claims(files) {
		text, err := os.ReadFile(filepath.Join(root, c.file))
		require.NoError(t, err)
		shown := outcomes[c.rule].in(c.file, string(text))
		switch c.what {
		case "firing":
			if shown == "" {
				t.Errorf("%s claims %s firing and does not show its outcome", c.file, c.rule)
			}
			if slices.Contains(files[c.rule+" silent"], c.file) {
				t.Errorf("%s claims %s firing and silent; make two files", c.file, c.rule)
			}
		case "silent":
			if shown != "" {
				t.Errorf("%s claims %s silent and shows %q", c.file, c.rule, shown)
			}
		}
	}
}

func TestOutcome(t *testing.T) {
	wp6, ok := spec.Find("WP-6")
	require.True(t, ok)
	gate, err := outcomeOf(&wp6)
	require.NoError(t, err)
	c1, err := detectorOutcome("C1")
	require.NoError(t, err)
	dp14, ok := spec.Find("DP-14")
	require.True(t, ok)
	cooldown, err := outcomeOf(&dp14)
	require.NoError(t, err)
	for _, test := range []struct {
		o          outcome
		file, text string
		shown      bool
	}{
		{gate, "a", "event x\n----\ngate.decided\n  decision: deny\n  rule: WP-6\n", true},
		{gate, "a", "event x\n----\ngate.decided {decision: allow_with_warning, rule: WP-6}\n", true},
		{gate, "a", "event x\n----\ngate.decided\n  decision: allow\n  rule: WP-6\n", false},
		{gate, "a", "event x {rule: WP-6}\n----\nnothing\n", false},
		{gate, "a", "----\nnothing\n\nevent x {rule: WP-6}\n", false},
		{gate, "a", "----\nwarning.issued {rule: WP-60}\n", false},
		{gate, "a", "----\nwarning.issued {code: IDENTICAL-FILE}\n", true},
		{c1, "a", "----\nsignal.detected C1/read \"a.go\" urgency=0.5\n", true},
		{c1, "a", "----\nC1/read \"a.go\" urgency=2.0 cap=1.9\n", false},
		{c1, "a", "----\nC1/read \"a.go\" urgency=2.0 suppressed=\"priming\"\n", false},
		{c1, "a", "----\nC10/read \"a.go\"\n", false},
		{cooldown, "internal/session/budget/a", "----\n  interrupt.queued two 4.5 cooldown position 1\n", true},
		{cooldown, "internal/session/budget/a", "----\n  (nothing)\ncooldown position 1\n", false},
	} {
		require.Equal(t, test.shown, test.o.in(test.file, test.text) != "", "%s", test.text)
	}
}

// outcomesOf returns the outcome of each rule and detector.
func outcomesOf(t *testing.T) map[string]outcome {
	t.Helper()
	outcomes := map[string]outcome{}
	for _, r := range spec.Rules() {
		o, err := outcomeOf(&r)
		require.NoError(t, err, r.ID)
		outcomes[r.ID] = o
	}
	for _, d := range all.Detectors() {
		o, err := detectorOutcome(d.ID)
		require.NoError(t, err)
		outcomes[d.ID] = o
	}
	return outcomes
}
