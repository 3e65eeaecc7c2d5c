package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// What each orchestrator writes by itself is followed into a running system with no
// bridge (IN-10 to IN-13): WorkTrain's log breaks its run, a pipeline's context closes a
// gate, a plan with two owners of one file is found before any agent starts, a loop that
// says that it is complete is held against its plan, a log of ArcheFlow breaks its run.
// What was decided live is what `scan` reports of the same files (IN-2).
func TestSourcesAreFollowedAsTheyAreWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	project := filepath.Join(l.folder, "project")
	require.NoError(t, os.MkdirAll(project, 0o700))
	binary := filepath.Join(l.bin, "scaffoldwatch")
	cmd, out := l.command("follow", binary, "publish", "--follow", project), &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })

	lines := strings.SplitAfter(fixture(t, "workrail", "worktrain.jsonl"), "\n")
	for part := range slices.Chunk(lines, 6) { // the log grows while it is read
		appendTo(t, filepath.Join(project, ".workrail", "events", "daemon", "2026-10-27.jsonl"), strings.Join(part, ""))
		time.Sleep(50 * time.Millisecond)
	}
	appendTo(t, filepath.Join(project, ".workrail", "pipeline-runs", "run-refunds-7-context.json"),
		fixture(t, "workrail", "workrail-pipeline.json"))
	appendTo(t, filepath.Join(project, "docs", "IMPL", "IMPL-till.yaml"), fixture(t, "scoutwave",
		"scout-and-wave.yaml"))
	appendTo(t, filepath.Join(project, ".archeflow", "events", "crashed.jsonl"), failures("crashed", 1, 4))
	appendTo(t, filepath.Join(project, "loop", "fix_plan.md"), "- [x] store\n- [ ] send the mail\n")
	appendTo(t, filepath.Join(project, "loop", "ralph.log"), "=== Iteration 1 ===\nwork\n=== Exit code: 0 ===\n"+
		"=== Iteration 2 ===\nwork\n=== Exit code: 0 ===\n=== Ralph completed all tasks! ===\n")

	scanned, err := l.command("follow", binary, "scan", "--no-workspace", "--output", "jsonl", project).CombinedOutput()
	require.NoError(t, err, "%s", scanned)
	want := map[string]int{}
	for line := range bytes.Lines(scanned) {
		var e struct {
			Type, Subject string
			Data          json.RawMessage
		}
		if json.Unmarshal(line, &e) == nil {
			countHeard(want, e.Type, e.Subject, e.Data)
		}
	}
	for _, part := range []string{
		"wiggum.break worktrain-shop-20261027-080000 agent_failures", "wiggum.break crashed agent_failures",
		"gate.decided run-refunds-7 next_phase deny", "escalation.raised run-refunds-7 handover/fallback",
		"warning.issued ralph- COMPLETE-WITH-OPEN-ITEMS", "violation.detected till-refunds",
	} {
		first, rest, _ := strings.Cut(part, " ralph-")
		require.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(key string) bool {
			return strings.HasPrefix(key, first) && strings.HasSuffix(key, strings.TrimPrefix(rest, " "))
		}), "%s is not in %v", part, want)
	}
	var got map[string]int
	require.Eventually(t, func() bool {
		got = l.decisions(t)
		return maps.Equal(want, got)
	}, patience, 200*time.Millisecond, "scan %v\nlive %v", want, &got)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.NoError(t, cmd.Wait(), out)
}

// countHeard counts a received decision by its type and subject.
func countHeard(into map[string]int, typ, subject string, data []byte) {
	var d struct{ Code, Trigger, Issue, Gate, Decision string }
	_ = json.Unmarshal(data, &d) // what has none of them is not counted
	switch typ {
	case "wiggum.break", "violation.detected", "warning.issued", "escalation.raised", "gate.decided":
		parts := []string{typ, subject}
		for _, part := range []string{d.Code, d.Trigger, d.Issue, d.Gate, d.Decision} {
			if part != "" {
				parts = append(parts, part)
			}
		}
		into[strings.Join(parts, " ")]++
	}
}

// decisions counts the decisions of the running system.
func (l *loops) decisions(t *testing.T) map[string]int {
	t.Helper()
	stream, err := l.broker.JetStream().Stream(t.Context(), string(events.StreamDecisions))
	require.NoError(t, err)
	out := map[string]int{}
	for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
		if msg, err := stream.GetMsg(t.Context(), sequence); err == nil {
			countHeard(out, msg.Header.Get("ce-type"), msg.Header.Get("ce-subject"), msg.Data)
		}
	}
	return out
}

// fixture returns a file of an agent's testdata.
func fixture(t *testing.T, agent, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "internal", "agent", agent, "testdata", name))
	require.NoError(t, err, fmt.Sprintf("the fixture %s", name))
	return string(text)
}
