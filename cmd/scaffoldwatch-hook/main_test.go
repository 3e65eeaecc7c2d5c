package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
)

func run(t *testing.T, environment map[string]string, args ...string) (out, errOut string, err error) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	var o, e bytes.Buffer
	const call = `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`
	err = execute(args, func(name string) string { return environment[name] }, strings.NewReader(call), &o, &e)
	return o.String(), e.String(), err
}

func TestWithoutASystem(t *testing.T) {
	out, errOut, err := run(t, nil, "--agent", "codex", "--url", "http://127.0.0.1:9")
	require.NoError(t, err)
	require.Empty(t, errOut)
	require.Contains(t, out, "scaffoldwatch is not running")
	_, errOut, err = run(t, map[string]string{hookclient.VariableURL: "http://127.0.0.1:9"}, "--agent", "codex", "-v")
	require.NoError(t, err)
	require.Contains(t, errOut, "no answer from http://127.0.0.1:9")
	out, _, err = run(t, nil, "--agent", "codex", "--url", "http://127.0.0.1:9", "--fail-closed")
	require.NoError(t, err)
	require.Contains(t, out, `"permissionDecision":"deny"`)
}

// Each agent that install writes hooks for is one whose calls the program answers.
func TestEveryAgentWithHooksIsAnswered(t *testing.T) {
	require.ElementsMatch(t, all.Hooks().Agents(), dialects.Agents())
	for _, agent := range all.Hooks().Agents() {
		_, _, err := run(t, nil, "--agent", agent, "--url", "http://127.0.0.1:9")
		require.NoError(t, err, agent)
	}
}

func TestMistakes(t *testing.T) {
	for wants, args := range map[string][]string{
		"no agent called":                          {"--agent", "vim"},
		"flag provided but not defined":            {"--agnt", "codex"},
		"is not a run id":                          {"--agent", "codex", "--run", "a b"},
		"must be http://host:port":                 {"--agent", "codex", "--url", "nats://127.0.0.1"},
		"there are claude-code, codex, copilot, g": {},
	} {
		_, _, err := run(t, nil, args...)
		require.ErrorContains(t, err, wants)
	}
	out, _, err := run(t, nil, "--version")
	require.NoError(t, err)
	require.Contains(t, out, "scaffoldwatch-hook")
	out, _, err = run(t, nil, "--help")
	require.NoError(t, err)
	require.Contains(t, out, "-agent")
}

// The hook starts at each call of a tool: grammars, detectors and a Markdown parser would cost each of them a
// millisecond.
func TestTheHookIsLight(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-tags", "gore2regex", ".").Output()
	require.NoError(t, err)
	for _, heavy := range []string{"tree-sitter", "goldmark", "internal/session/detect", "internal/session/registry", "internal/analysis/syntax", "nats.go"} {
		require.NotContains(t, string(out), heavy)
	}
}
