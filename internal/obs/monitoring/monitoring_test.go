package monitoring

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

var update = flag.Bool("update", false, "write the generated files")

const deploy = "../../../deploy"

func TestGeneratedMonitoringIsFresh(t *testing.T) {
	dashboard, err := Dashboard()
	require.NoError(t, err)
	for path, want := range map[string][]byte{
		filepath.Join(deploy, "prometheus", "alerts.yaml"):     Rules(),
		filepath.Join(deploy, "grafana", "scaffoldwatch.json"): dashboard,
	} {
		if *update {
			require.NoError(t, os.WriteFile(path, want, 0o600))
		}
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "%s is not fresh: make golden", path)
	}
}

// Alerts name metrics that exist, with labels that they have.
func TestAlertsNameMetricsThatExist(t *testing.T) {
	known := map[string]obs.Metric{}
	for _, m := range obs.Catalogue() {
		known[m.Name] = m
		if m.Histogram {
			known[m.Name+"_bucket"] = m
		}
	}
	require.Greater(t, len(known), 35)
	name, label := regexp.MustCompile(`scaffoldwatch_\w+`), regexp.MustCompile(`\$labels\.(\w+)`)
	for _, a := range Alerts() {
		names := name.FindAllString(a.Expr, -1)
		require.NotEmpty(t, names, a.Name)
		for _, n := range names {
			require.Contains(t, known, n, a.Name)
		}
		for _, m := range label.FindAllStringSubmatch(a.Summary, -1) {
			if m[1] != "instance" {
				require.Contains(t, known[names[0]].Labels, m[1], a.Name)
			}
		}
	}
}

func TestPromtoolAcceptsTheAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not installed (Debian: package prometheus)")
	}
	out, err := exec.CommandContext(t.Context(), promtool, "check", "rules", filepath.Join(deploy, "prometheus", "alerts.yaml")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "SUCCESS")
	require.NotContains(t, strings.ToLower(string(out)), "warning")
}
