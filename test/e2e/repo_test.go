package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// publish --follow docs/IMPL --repo . watches a wave from its document and Git without another bridge
// (IN-10): nothing is installed, worktrees and the content of branches are reported as facts, and a commit
// to main while agents work is found.
func TestAWaveIsWatchedFromItsPlanAndItsRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	l := startLoops(t)
	shop := filepath.Join(l.folder, "follow", "shop")
	require.NoError(t, os.MkdirAll(shop, 0o700))
	sh := func(script string) {
		t.Helper()
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = shop
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@localhost",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	sh("git init -q -b main && echo x > go.mod && git add . && git commit -qm begin")
	before, err := os.ReadDir(filepath.Join(shop, ".git", "hooks"))
	require.NoError(t, err)
	appendTo(t, filepath.Join(shop, "docs", "IMPL", "IMPL-till.yaml"), fixture(t, "scoutwave", "scout-and-wave.yaml"))

	binary := filepath.Join(l.bin, "scaffoldwatch")
	cmd, out := l.command("follow", binary, "publish", "--follow", "shop/docs/IMPL", "--repo", "shop"), &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await := func(what string, is func() bool) {
		t.Helper()
		require.Eventually(t, is, patience, 200*time.Millisecond, what)
	}
	await("the plan", func() bool { return l.told(runevents.TypeWavePlanned) > 0 })
	time.Sleep(1500 * time.Millisecond) // a look at what was there before

	sh("git worktree add -q -b saw/till-refunds/wave1-agent-A .claude/worktrees/saw/till-refunds/wave1-agent-A")
	await("the worktree", func() bool { return l.told(runevents.TypeWorktreeCreated) == 1 })
	sh("cd .claude/worktrees/saw/till-refunds/wave1-agent-A && echo y > y.go && git add . && git commit -qm 'agent A'")
	await("what the branch holds", func() bool { return l.told(runevents.TypeGitCounted) == 2 })
	time.Sleep(2500 * time.Millisecond)
	require.Equal(t, 2, l.told(runevents.TypeGitCounted), "nothing changed, nothing is told")

	sh("echo z > z.go && git add z.go && git commit -qm 'by hand'")
	await("a commit to main", func() bool { return l.told(runevents.TypeGitCommit) == 1 })
	await("its violation", func() bool {
		for heard := range l.decisions(t) {
			if strings.HasPrefix(heard, "violation.detected till-refunds SAW-COMMIT-MAIN") {
				return true
			}
		}
		return false
	})
	after, err := os.ReadDir(filepath.Join(shop, ".git", "hooks"))
	require.NoError(t, err)
	require.Len(t, after, len(before), "nothing is installed")
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.NoError(t, cmd.Wait(), out)
	require.NotContains(t, out.String(), "scaffoldwatch: shop:")
}
