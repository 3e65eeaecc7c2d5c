package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
)

// installed runs `install` in a home.
func installed(t *testing.T, command Install) (messages string, err error) {
	t.Helper()
	var out, errOut bytes.Buffer
	command.Scope = "user"
	err = command.Run(&cli.Call{Context: t.Context(), Stdout: &out, Stderr: &errOut})
	return errOut.String(), err
}

func newHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	for _, name := range []string{hooktoken.Variable, "SCAFFOLDWATCH_HOOK_TOKEN", "CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		t.Setenv(name, "")
	}
	bin := filepath.Join(home, "bin")
	require.NoError(t, os.Mkdir(bin, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(bin, install.ClientName), []byte("#!/bin/sh\n"),
		0o700)) //nolint:gosec // a program
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return home
}

// An agent that runs here without a settings file of its own gets the hooks; one that was never here
// does not.
func TestInstallFindsAnAgentWithoutSettings(t *testing.T) {
	home := newHome(t)
	_, err := installed(t, Install{})
	require.ErrorContains(t, err, "no settings of an agent were found")
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".claude", "projects"), 0o700))
	_, err = installed(t, Install{})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(home, ".claude", "settings.json"))
	require.NoDirExists(t, filepath.Join(home, ".gemini"))
}

// A system elsewhere knows the tokens that were made there: none is made here, and who installs is told.
func TestInstallMakesNoTokenForASystemElsewhere(t *testing.T) {
	home := newHome(t)
	folder := filepath.Join(home, ".config", "scaffoldwatch", "hooks")
	elsewhere := Install{Agent: "claude-code", URL: "https://watch.example:8420"}
	for range 2 { // also where the hooks are there already
		said, err := installed(t, elsewhere)
		require.NoError(t, err)
		require.Contains(t, said,
			folder+" has no claude-code.token, so the system at watch.example does not accept the hooks")
		require.Empty(t, hooktoken.Read(folder, "claude-code"))
	}
	require.NoError(t, os.MkdirAll(folder, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "claude-code.token"), []byte("given\n"), 0o600))
	said, err := installed(t, elsewhere)
	require.NoError(t, err)
	require.NotContains(t, said, "has no claude-code.token")
	_, err = installed(t, Install{Agent: "codex"})
	require.NoError(t, err)
	require.NotEmpty(t, hooktoken.Read(folder, "codex"), "for the system of this machine one is made")
}

// What comes next depends on where the system runs: one elsewhere is not started here.
func TestWhatComesNext(t *testing.T) {
	newHome(t)
	messages, err := installed(t, Install{Agent: "claude-code"})
	require.NoError(t, err)
	require.Contains(t, messages, "`scaffoldwatch up` watches")
	messages, err = installed(t, Install{Agent: "claude-code", URL: "https://watch.example:8420"})
	require.NoError(t, err)
	require.NotContains(t, messages, "scaffoldwatch up")
	require.Contains(t, messages, "`scaffoldwatch doctor` says whether https://watch.example:8420 accepts its calls")
}
