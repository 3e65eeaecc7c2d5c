package interrupt

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
)

// Only a person lifts a denial, also while no system runs that could refuse another (RW-34, GD-11).
func TestOnlyAPersonAllowsWithoutASystem(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	keys := filepath.Join(home, "keys")
	other := filepath.Join(home, "other")
	t.Setenv("SCAFFOLDWATCH_SECURITY_CREDENTIALS", keys)
	t.Setenv("SCAFFOLDWATCH_NATS_URL", "nats://127.0.0.1:1")
	for _, folder := range []string{keys, other} {
		require.NoError(t, os.Mkdir(folder, 0o700))
		_, err := credential.Keep(folder)
		require.NoError(t, err)
	}
	word := denied(t, home)
	allow := func(file string) (string, error) {
		var out bytes.Buffer
		command := &Allow{Word: word}
		command.Operator = file
		err := command.Run(&cli.Call{
			Context: t.Context(), Stdin: strings.NewReader("yes\n"), Stdout: &out,
			Stderr: &out,
		})
		return out.String(), err
	}
	_, err := allow("")
	require.ErrorContains(t, err, "only a person may do this")
	for _, file := range []string{credential.File(other, credential.Operator), credential.File(keys,
		credential.Publisher), filepath.Join(home, "none")} {
		_, err = allow(file)
		require.ErrorContains(t, err, "not the operator's credential of this machine")
	}
	out, err := allow(credential.File(keys, credential.Operator))
	require.NoError(t, err)
	require.Contains(t, out, "allowed once")
}

// denied has a hook deny a call while no system runs, and returns the word of the denial.
func denied(t *testing.T, home string) string {
	t.Helper()
	work := filepath.Join(home, "work")
	require.NoError(t, os.Mkdir(work, 0o700))
	guard := alone.Guard{Folder: hookclient.Folder(), Patience: time.Minute}
	agent, err := agents.Hooks().Named("claude-code")
	require.NoError(t, err)
	command := exec.Command("git", "init", "-q")
	command.Dir = work
	require.NoError(t, command.Run())
	require.NoError(t, os.WriteFile(filepath.Join(work, "thesis.md"), []byte("chapter one\n"), 0o600))
	var reply hook.Reply
	for _, call := range []string{
		`"SessionStart"`,
		`"PreToolUse","tool_name":"Bash","tool_use_id":"c1","tool_input":{"command":"git clean -fd"}`,
	} {
		event, err := agent.Parse([]byte(`{"session_id":"s1","cwd":"` + work + `","hook_event_name":` + call + `}`))
		require.NoError(t, err)
		reply, err = guard.Hook(&event, strings.Contains(call, "Start"))
		require.NoError(t, err)
	}
	require.NotEmpty(t, reply.Deny)
	_, word, is := strings.Cut(reply.Deny, "by typing: allow ")
	require.True(t, is, reply.Deny)
	return strings.TrimSpace(word)
}
