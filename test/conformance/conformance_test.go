package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/detectors/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect/scenario"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
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

// shown is what a script's "# show:" line asks for beside signals and decisions.
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
	want := page(list, files)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "docs/conformance.md is stale: go test ./test/conformance -update")
}
