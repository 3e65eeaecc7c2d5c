package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// failures returns lines of an ArcheFlow log: a run, and agents from seq on that fail.
func failures(run string, from, to int) string {
	var out strings.Builder
	for seq := from; seq <= to; seq++ {
		typ := "agent.failed"
		if seq == 1 {
			typ = "run.start"
		}
		fmt.Fprintf(&out, `{"ts":"2026-03-02T09:%02d:00Z","run_id":%q,"seq":%d,"parent":[],"type":%q,"phase":"do","agent":"maker","data":{}}`+"\n", seq, run, seq, typ)
	}
	return out.String()
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// publish --follow of a folder: what is appended is published, a new log and a loop's plain log are
// discovered, and a follower that was killed starts again without publishing anything twice: one break per
// run, as in `scan` of the same files.
func TestAFolderIsFollowedAcrossAKill(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	logs := filepath.Join(l.folder, "project", ".archeflow")
	first, second := filepath.Join(logs, "events", "first.jsonl"), filepath.Join(logs, "events", "second.jsonl")
	ralph := filepath.Join(l.folder, "project", "ralph.log")
	appendTo(t, first, failures("first", 1, 2))
	appendTo(t, filepath.Join(logs, "artifacts", "first", "task.md"), "# A task\n\nis no transcript.\n")

	binary := filepath.Join(l.bin, "scaffoldwatch")
	follow := func() (*exec.Cmd, *bytes.Buffer) {
		cmd, out := l.command("follow", binary, "publish", "--follow", filepath.Join(l.folder, "project")), &bytes.Buffer{}
		cmd.Stdout, cmd.Stderr = out, out
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd, out
	}
	awaitTold := func(typ events.Type, want int) {
		t.Helper()
		require.Eventually(t, func() bool { return l.told(typ) >= want }, patience, 50*time.Millisecond)
	}
	cmd, _ := follow()
	awaitTold(runevents.TypeAgentCompleted, 1)
	appendTo(t, first, failures("first", 3, 3))
	appendTo(t, second, failures("second", 1, 2))
	awaitTold(runevents.TypeAgentCompleted, 3)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed

	appendTo(t, first, failures("first", 4, 4))
	appendTo(t, ralph, "The loop\n")
	cmd, out := follow()
	awaitTold(runevents.TypeAgentCompleted, 4)
	for n := 1; n <= 3; n++ {
		appendTo(t, ralph, fmt.Sprintf("=== Iteration %d ===\nno net\n=== Exit code: 1 ===\n", n))
	}
	awaitTold(runevents.TypeAgentCompleted, 7)
	require.Eventually(t, func() bool {
		text, err := l.command("follow", binary, "runs", "-o", "json").CombinedOutput()
		require.NoError(t, err, "%s", text)
		return bytes.Count(text, []byte("agent_failures")) >= 2
	}, patience, 100*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.NoError(t, cmd.Wait(), out)
	require.Contains(t, out.String(), "published ")

	breaks := func() (told int) {
		stream, err := l.broker.JetStream().Stream(t.Context(), string(events.StreamDecisions))
		require.NoError(t, err)
		for sequence := uint64(1); sequence <= stream.CachedInfo().State.LastSeq; sequence++ {
			if msg, err := stream.GetMsg(t.Context(), sequence); err == nil && msg.Header.Get("ce-type") == string(runevents.TypeWiggumBreak) {
				told++
			}
		}
		return told
	}
	require.Eventually(t, func() bool { return breaks() >= 2 }, patience, 200*time.Millisecond)
	scanned, err := l.command("follow", binary, "scan", "--output", "jsonl", filepath.Join(l.folder, "project")).CombinedOutput()
	require.NoError(t, err, "%s", scanned)
	require.Equal(t, 2, bytes.Count(scanned, []byte(`"type":"wiggum.break"`)), "%s", scanned)
	require.Equal(t, 2, breaks(), "one break each for first and the loop, none for second")
}
