package transcripts

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// archeflowLog is a run of one cycle whose findings lie beside it.
const archeflowLog = `{"ts":"2026-03-02T09:00:00Z","run_id":"r-1","seq":1,"parent":[],"type":"run.start","phase":"plan","agent":null,"data":{"task":"limit logins"}}
{"ts":"2026-03-02T09:01:00Z","run_id":"r-1","seq":2,"parent":[1],"type":"cycle.boundary","phase":"act","agent":null,"data":{"cycle":1}}
`

// write makes files below a folder.
func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// readAll reads what paths hold and says what was skipped.
func readAll(t *testing.T, paths ...string) (all []events.Event, told string) {
	t.Helper()
	found, err := Find(paths, nil)
	require.NoError(t, err)
	var out bytes.Buffer
	for _, in := range found.List {
		summary, err := found.Read(t.Context(), in, transcript.Options{}, func(int64) {}, func(e events.Event) error {
			all = append(all, e)
			return nil
		})
		require.NoError(t, err)
		summary.Describe(&out)
	}
	found.DescribeSkipped(&out)
	return all, out.String()
}

// A log and the artifacts beside it are one input, as a folder and as a file; the
// folder that holds .archeflow names the project; artifacts that were read are
// not counted as skipped.
func TestLogAndArtifactsAreOneInput(t *testing.T) {
	home := filepath.Join(t.TempDir(), "shop")
	write(t, home, map[string]string{
		".archeflow/events/r-1.jsonl":                       archeflowLog,
		".archeflow/artifacts/r-1/findings-cycle-1.json":    `[{"id":"a","severity":"WARNING"}]`,
		".archeflow/artifacts/r-1/convergence-cycle-1.json": `{"convergence_score":0.25}`,
		".archeflow/config.yaml":                            "costs:\n  budget_usd: 5\n",
		".archeflow/memory/lessons.jsonl":                   `{"id":"m-001"}`,
	})
	for _, path := range []string{home, filepath.Join(home, ".archeflow"), filepath.Join(home, ".archeflow", "events", "r-1.jsonl")} {
		all, told := readAll(t, path)
		require.Len(t, all, 4)
		started := all[0].Data.(*runevents.RunStarted)
		require.Equal(t, "shop", started.Project)
		require.InDelta(t, 5, started.Budget.Limit, 0)
		cycle := all[3].Data.(*runevents.CycleCompleted)
		require.Equal(t, []runevents.Finding{{ID: "a", Severity: runevents.SeverityWarning}}, cycle.Findings)
		require.InDelta(t, 0.25, *cycle.ConvergenceScore, 0)
		if strings.HasSuffix(path, ".jsonl") {
			require.Empty(t, told)
		} else {
			require.Equal(t, "skipped 1 of 5 files: not transcripts\n", told)
		}
	}
}

// What lies outside of the tree stays outside, whatever a link says.
func TestArtifactsStayInTheirTree(t *testing.T) {
	home := t.TempDir()
	write(t, home, map[string]string{
		"shop/.archeflow/events/r-1.jsonl":        archeflowLog,
		"shop/.archeflow/artifacts/r-1/task.md":   "limit logins",
		"secret/findings-cycle-1.json":            `[{"id":"secret"}]`,
		"shop/.archeflow/artifacts/r-1/.keep.txt": "",
	})
	require.NoError(t, os.Symlink(filepath.Join(home, "secret", "findings-cycle-1.json"),
		filepath.Join(home, "shop", ".archeflow", "artifacts", "r-1", "findings-cycle-1.json")))
	all, _ := readAll(t, filepath.Join(home, "shop", ".archeflow", "events", "r-1.jsonl"))
	require.Len(t, all, 4)
	require.Empty(t, all[3].Data.(*runevents.CycleCompleted).Findings)
}

// What an orchestrator judges itself is told, and not taken over.
func TestNotedIsTold(t *testing.T) {
	home := t.TempDir()
	write(t, home, map[string]string{"r.jsonl": archeflowLog + `{"ts":"2026-03-02T09:00:30Z","run_id":"r-1","seq":3,"type":"wiggum.break","phase":"act","data":{}}` + "\n"})
	_, told := readAll(t, filepath.Join(home, "r.jsonl"))
	require.Contains(t, told, "r.jsonl: noted: 1 wiggum.break\n")
}
