package agents

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// terminal is a pseudo-terminal in which a person would see the agent: tmux renders it, so that a test
// reads what is on the screen and what scrolled away.
type terminal struct {
	t      *testing.T
	socket string
}

// interactive returns the command of an agent at a terminal, with its first prompt.
func (a agent) interactive(prompt string) []string {
	switch a.name {
	case "claude-code":
		return []string{"claude", prompt, "--permission-mode", "dontAsk", "--allowedTools", "Bash"}
	case "codex":
		return []string{"codex", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox", prompt}
	case "opencode":
		return []string{"opencode", "--prompt", prompt}
	}
	return []string{"gemini", "-i", prompt, "--yolo", "-m", "gemini-2.5-pro"}
}

// screen reports whether what the agent's terminal showed can still be read at the end. OpenCode draws over it.
func (a agent) screen() bool { return a.name != "opencode" }

// inTerminal runs a test for each agent with a screen.
func inTerminal(t *testing.T, test func(t *testing.T, i int, a agent)) {
	for i, a := range allAgents {
		if a.screen() {
			t.Run(a.name, func(t *testing.T) { test(t, i, a) })
		}
	}
}

// settled answers in advance what an agent asks a new user: theme, key and trust of the folder.
func (b *bench) settled() {
	b.t.Helper()
	switch b.name {
	case "claude-code":
		text, err := json.Marshal(map[string]any{
			"hasCompletedOnboarding": true, "theme": "dark", "lastOnboardingVersion": "2.1.330", "bypassPermissionsModeAccepted": true,
			"customApiKeyResponses": map[string]any{"approved": []string{fakeKey}, "rejected": []string{}},
			"projects":              map[string]any{b.project: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
		})
		require.NoError(b.t, err)
		write(b.t, filepath.Join(b.home, ".claude.json"), string(text))
	case "codex":
		name := filepath.Join(b.home, ".codex", "config.toml")
		text, err := os.ReadFile(name)
		require.NoError(b.t, err)
		write(b.t, name, string(text)+fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", b.project))
	}
}

// open starts the agent in a pseudo-terminal.
func (b *bench) open(prompt string) *terminal {
	b.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		b.t.Skip("tmux is not installed; it is the terminal of this test")
	}
	b.settled()
	term := &terminal{t: b.t, socket: filepath.Join(b.t.TempDir(), "tmux")}
	words := b.interactive(prompt)
	args := []string{"-f", "/dev/null", "-S", term.socket, "new-session", "-d", "-x", "160", "-y", "200", "-c", b.project, "env", "-i", "TERM=xterm-256color"}
	args = append(append(args, b.environment()...), filepath.Join(b.tools, words[0]))
	out, err := exec.Command("tmux", append(args, words[1:]...)...).CombinedOutput()
	require.NoError(b.t, err, "%s", out)
	pid := term.pid()
	b.t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", term.socket, "kill-server").Run()
		for range 100 { // until it no longer writes into its home
			if syscall.Kill(pid, 0) != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
	})
	return term
}

// pid returns the process id of the agent.
func (t *terminal) pid() int {
	t.t.Helper()
	out, err := exec.Command("tmux", "-S", t.socket, "display-message", "-p", "#{pane_pid}").Output()
	require.NoError(t.t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t.t, err)
	return pid
}

// screen returns what the person sees, and what scrolled away.
func (t *terminal) screen() string {
	out, err := exec.Command("tmux", "-S", t.socket, "capture-pane", "-p", "-J", "-S", "-").Output()
	if err != nil {
		return "" // the agent has ended
	}
	return strings.TrimRight(string(out), "\n \t")
}

// shows waits until the screen holds a text.
func (t *terminal) shows(text string) string {
	t.t.Helper()
	var screen string
	for range 1200 { // an agent on a busy machine takes a minute to start
		if screen = t.screen(); strings.Contains(screen, text) {
			time.Sleep(time.Second) // for what comes with it
			return t.screen()
		}
		time.Sleep(100 * time.Millisecond)
	}
	require.Fail(t.t, "the terminal does not show "+text, "%s", screen)
	return ""
}

// types types a text at the agent's prompt.
func (t *terminal) types(text string) {
	t.t.Helper()
	for _, keys := range [][]string{{"-l", text}, {"Enter"}} {
		out, err := exec.Command("tmux", append([]string{"-S", t.socket, "send-keys"}, keys...)...).CombinedOutput()
		require.NoError(t.t, err, "%s", out)
		time.Sleep(500 * time.Millisecond) // as a person does; an agent takes a fast Enter for part of a paste
	}
}
