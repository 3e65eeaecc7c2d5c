package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/ruletrace"
)

// measured are the packages whose functions report the rules they implement, and
// players those that play scenarios. Detectors are left out: their scripts run one
// detector each.
var (
	measured = []string{"internal/session", "internal/run", "internal/view", "internal/notify", "internal/analysis", "internal/audit", "detectors"}
	players  = []string{"./test/conformance", "./internal/session/budget", "./internal/session/preflight", "./internal/view/runreport", "./internal/notify/notice"}
)

// TestClaimsAreExecuted plays every scenario with instrumented code: a scenario
// that claims a rule, firing, silent or a case of it, has executed it. It compiles
// the core once more, so it runs only on request: make conformance.
func TestClaimsAreExecuted(t *testing.T) {
	if os.Getenv("SCAFFOLDWATCH_MEASURE_RULES") == "" {
		t.Skip("set SCAFFOLDWATCH_MEASURE_RULES=1, or run make conformance")
	}
	overlay, err := ruletrace.Overlay(root, t.TempDir(), measured...)
	require.NoError(t, err)
	traces := t.TempDir()
	play := exec.Command("go", append([]string{"test", "-tags", "gore2regex", "-p", "2", "-count=1", "-overlay", overlay, "-run", "^Test(Scenarios|Conversations|Scripts)$"}, players...)...)
	play.Dir = root
	play.Env = append(os.Environ(), ruletrace.Directory+"="+traces, "SCAFFOLDWATCH_MEASURE_RULES=")
	output, err := play.CombinedOutput()
	require.NoError(t, err, "%s", output)
	executed, err := ruletrace.Read(traces)
	require.NoError(t, err)
	require.Greater(t, len(executed), 250, "scenarios were played")
	outcomes := outcomesOf(t)
	files, err := covered()
	require.NoError(t, err)
	for demand, where := range files {
		rule, _, _ := strings.Cut(strings.ReplaceAll(demand, "/", " "), " ")
		if !strings.Contains(rule, "-") {
			continue // a detector: its player runs it on every turn
		}
		for _, file := range where {
			path, err := filepath.Abs(filepath.Join(root, file))
			require.NoError(t, err)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			// What is shown was executed, whichever function concluded it.
			if !slices.Contains(executed[path], rule) && outcomes[rule].in(file, string(text)) == "" {
				t.Errorf("%s claims %s, but no function that cites %s ran; cite the rule where it is implemented, or correct the claim", file, demand, rule)
			}
		}
	}
}
