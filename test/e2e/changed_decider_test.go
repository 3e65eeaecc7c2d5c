package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
)

// changes are deciders in which somebody changes one comparison or figure in the code. Rules,
// configuration and version stay as they are, so their hash does too.
var changes = []struct{ stage, file, was, is, shown string }{
	{
		"ingest", "internal/session/segment/error.go", "Confidence: confidence}", "Confidence: confidence / 2}",
		`invoice-rounding: turn\.segmented \w+, caused by input invoice-rounding-turn-3\n  state before it: [0-9a-f]{16} \(SHA-256\)\n  differs in data\.segments\[2\]\.error\.confidence\n    recorded: 1\n    derived:  0\.5\n  recorded event: \{`,
	},
	{
		"evaluator", "detectors/stuckloop/grow.go", "l.length >= l.limits.Loop", "l.length > l.limits.Loop",
		`nightly-build: signal\.detected \w+, caused by input \w+\n  state before it: [0-9a-f]{16} \(SHA-256\)\n  differs in data\.floor\n    recorded: 4\n    derived:  2\n  differs in data\.urgency\n    recorded: 4\n    derived:  2\n  recorded event: \{`,
	},
	{
		"dispatcher", "internal/session/budget/state.go", "turn-s.LastFire >= cooldown", "turn-s.LastFire > cooldown",
		`csv-export: interrupt\.fired \w+, caused by input \w+\n  state before it: [0-9a-f]{16} \(SHA-256\)\n  another event is derived in its place\n    recorded: interrupt\.fired\n    derived:  signal\.detected\n  recorded event: \{.*\n  derived event:  \{`,
	},
}

// changedProgram builds scaffoldwatch with the changes, without touching the sources.
func changedProgram(t *testing.T) string {
	t.Helper()
	folder, root := t.TempDir(), filepath.Join("..", "..")
	replace := map[string]string{}
	for n, c := range changes {
		file, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(c.file)))
		require.NoError(t, err)
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(source), c.was), "%s: name another place to change", c.file)
		replace[file] = filepath.Join(folder, string(rune('a'+n))+".go")
		require.NoError(t, os.WriteFile(replace[file], []byte(strings.Replace(string(source), c.was, c.is, 1)), 0o600))
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "overlay.json"), overlay, 0o600))
	program := filepath.Join(folder, "scaffoldwatch")
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "gore2regex", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, "./cmd/scaffoldwatch")
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// A decider that somebody changed under an unchanged hash of rules and configuration is caught
// in each stage, with the first difference of each session (AU-10).
func TestAChangedDeciderIsCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a second program")
	}
	i := install(t)
	broker := i.start(i.file("data"))
	fleet, err := demo.Sessions(time.Now().Add(-time.Hour))
	require.NoError(t, err)
	send, err := publish.New(broker.Conn())
	require.NoError(t, err)
	for _, e := range inTurn(fleet) {
		require.NoError(t, send.Send(t.Context(), e))
	}
	require.NoError(t, send.Close())
	i.decided(broker, len(fleet))
	require.Equal(t, 3, strings.Count(i.must("replay"), " 0 differ"), "the control: the honest program")

	i.program = changedProgram(t)
	for _, c := range changes {
		out, err := i.command("replay", "--stage", c.stage).CombinedOutput()
		require.Error(t, err, "%s", out)
		t.Logf("%s", out)
		require.NotContains(t, string(out), "not compared", "the hash of rules and configuration is unchanged")
		require.Regexp(t, regexp.MustCompile(c.shown), string(out))
		require.Regexp(t, regexp.MustCompile(c.stage+` +\d+ events of \d+ sessions and runs derived as recorded, [1-9]\d* differ`), string(out))
	}
}
