package system

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

func agentHooksOnly(c *checkup) { agentHooks(c) }

func hooksChecked(t *testing.T, do func(*checkup)) (string, int) {
	t.Helper()
	var out bytes.Buffer
	plain := terminal.New(&out, func(string) string { return "" })
	check := &checkup{Call: &cli.Call{Context: t.Context(), Stdout: &out, Theme: plain}}
	do(check)
	return out.String(), check.attention
}

// settings of Claude Code in a home of its own, whose hooks run a command.
func fakeHome(t *testing.T, command string) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	folder := filepath.Join(home, ".claude")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	entry := `{"hooks":[{"type":"command","command":"` + command + ` --agent claude-code --url http://127.0.0.1:9"}]}`
	require.NoError(t, os.WriteFile(filepath.Join(folder, "settings.json"), []byte(`{"hooks":{"SessionStart":[`+entry+`],"PreToolUse":[`+entry+`]}}`), 0o600))
	return home
}

// program returns a hook that prints something.
func program(t *testing.T, prints string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "scaffoldwatch-hook")
	require.NoError(t, os.WriteFile(name, []byte("#!/bin/sh\n"+prints+"\n"), 0o700)) //nolint:gosec // a program
	return name
}

// GD-22: an agent's hooks must call a program that is there, wherever the agent is started.
func TestAgentsHooks(t *testing.T) {
	fakeHome(t, program(t, "echo scaffoldwatch-hook 1.2"))
	text, attention := hooksChecked(t, agentHooksOnly)
	require.Contains(t, text, "2 hooks, scaffoldwatch-hook 1.2")
	require.Zero(t, attention)

	fakeHome(t, "/nowhere/scaffoldwatch-hook")
	text, attention = hooksChecked(t, agentHooksOnly)
	require.Contains(t, text, "which does not exist")
	require.Equal(t, 1, attention)

	fakeHome(t, "scaffoldwatch-hook")
	text, attention = hooksChecked(t, agentHooksOnly)
	require.Contains(t, text, "another PATH")
	require.Equal(t, 1, attention)

	fakeHome(t, program(t, "exit 3"))
	text, attention = hooksChecked(t, agentHooksOnly)
	require.Contains(t, text, "does not answer")
	require.Equal(t, 1, attention)

	t.Setenv("HOME", t.TempDir())
	text, attention = hooksChecked(t, agentHooksOnly)
	require.Contains(t, text, "scaffoldwatch install --agent NAME")
	require.Zero(t, attention)
}

// What the hooks call must take their calls: an agent whose calls are refused works on unwatched.
func TestTheSystemThatHooksCall(t *testing.T) {
	status := http.StatusBadRequest
	system := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/v1/hooks/claude-code", r.URL.Path)
		w.Header().Set(wire.ErrorHeader, "not a name of this interface")
		w.WriteHeader(status)
	}))
	t.Cleanup(system.Close)
	hooks := func(url string) (string, int, []string) {
		home := fakeHome(t, program(t, "echo scaffoldwatch-hook 1.2"))
		file := filepath.Join(home, ".claude", "settings.json")
		was, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(was, []byte("http://127.0.0.1:9"), []byte(url)), 0o600))
		var remote []string
		text, attention := hooksChecked(t, func(c *checkup) { remote = agentHooks(c) })
		return text, attention, remote
	}
	text, attention, remote := hooks(system.URL)
	require.Contains(t, text, "2 hooks")
	require.Zero(t, attention)
	require.Empty(t, remote)

	for refusal, want := range map[int]string{
		http.StatusUnauthorized:       "does not accept the token",
		http.StatusMisdirectedRequest: "not a name of this interface",
	} {
		status = refusal
		text, attention, _ = hooks(system.URL)
		require.Contains(t, text, "its calls are not recorded by "+system.URL)
		require.Contains(t, text, want)
		require.Equal(t, 1, attention)
	}
	text, attention, remote = hooks("https://watch.invalid:1")
	require.Contains(t, text, "nothing answers")
	require.Equal(t, 1, attention, "a system elsewhere has to answer")
	require.Equal(t, []string{"https://watch.invalid:1"}, remote)
}

// GD-22: the test goes through the very command of the settings.
func TestAPlantedReset(t *testing.T) {
	fakeHome(t, program(t, `cat > "$0.last"; echo '{"hookSpecificOutput":{"permissionDecision":"deny"}}'`))
	text, attention := hooksChecked(t, func(c *checkup) { testHook(c, "claude-code") })
	require.Contains(t, text, "was denied by")
	require.Zero(t, attention)

	fakeHome(t, program(t, "cat >/dev/null; echo '{}'"))
	text, attention = hooksChecked(t, func(c *checkup) { testHook(c, "claude-code") })
	require.Contains(t, text, "was not denied")
	require.Equal(t, 1, attention)

	fakeHome(t, "/nowhere/scaffoldwatch-hook")
	_, attention = hooksChecked(t, func(c *checkup) { testHook(c, "claude-code") })
	require.Equal(t, 1, attention)
}

// GD-22: the doctor knows every agent that has a question before a tool, and what it says of one.
func TestEachAgentCanBeTested(t *testing.T) {
	for _, name := range agents.Settings().Names() {
		require.NotEmpty(t, beginnings[name].before, name)
	}
}

// GD-22: Codex runs only hooks that the person approved; the doctor says which are not.
func TestHooksThatTheAgentDoesNotTrust(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CODEX_HOME", "")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	folder := filepath.Join(home, ".codex")
	require.NoError(t, os.MkdirAll(folder, 0o700))
	file := filepath.Join(folder, "hooks.json")
	entry := `{"hooks":[{"type":"command","command":"` + program(t, "echo scaffoldwatch-hook 1.2") +
		` --agent codex --url http://127.0.0.1:9"}]}`
	require.NoError(t, os.WriteFile(file, []byte(`{"hooks":{"PreToolUse":[`+entry+`]}}`), 0o600))
	text, attention := hooksChecked(t, agentHooksOnly)
	require.Contains(t, text, "not trusted by the agent")
	require.Equal(t, 1, attention)

	require.NoError(t, os.WriteFile(filepath.Join(folder, "config.toml"), []byte("[hooks.state.\""+file+":pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:aa\"\n"), 0o600))
	text, attention = hooksChecked(t, agentHooksOnly)
	require.Contains(t, text, "1 hook, scaffoldwatch-hook 1.2, no call yet")
	require.Zero(t, attention)
}

// The plugins of Claude Code and Codex bring hooks without a line in the agent's own settings of hooks.
func TestHooksOfPlugins(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", "/usr/bin:/bin")
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		t.Setenv(name, "")
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), mode))
	}
	write(".claude/settings.json", `{"enabledPlugins":{"other@x":true,"scaffoldwatch@scaffoldwatch":true}}`, 0o600)
	write(".codex/config.toml", "[plugins.\"other@x\"]\nenabled = true\n\n[plugins.\"scaffoldwatch@ours\"]\nenabled = true\n", 0o600)
	text, attention := hooksChecked(t, agentHooksOnly)
	require.Equal(t, 2, attention, text)
	require.Contains(t, text, "the plugin scaffoldwatch@scaffoldwatch is on, and its hooks do not find scaffoldwatch-hook")
	require.Contains(t, text, "the plugin scaffoldwatch@ours is on")

	write(".local/bin/scaffoldwatch-hook", "#!/bin/sh\necho scaffoldwatch-hook 1.2\n", 0o700)
	text, attention = hooksChecked(t, agentHooksOnly)
	require.Zero(t, attention, text)
	require.Contains(t, text, "by the plugin scaffoldwatch@scaffoldwatch, scaffoldwatch-hook 1.2")
	require.NotContains(t, text, "no hooks: scaffoldwatch install --agent claude-code")

	write(".claude/settings.json", `{"enabledPlugins":{"scaffoldwatch@scaffoldwatch":true},"hooks":{"PreToolUse":[`+
		`{"hooks":[{"type":"command","command":"/x/scaffoldwatch-hook --agent claude-code"}]}]}}`, 0o600)
	text, attention = hooksChecked(t, agentHooksOnly)
	require.Equal(t, 1, attention, text)
	require.Contains(t, text, "each turn is told twice")

	write(".claude/settings.json", `{"enabledPlugins":{"scaffoldwatch@scaffoldwatch":false}}`, 0o600)
	write(".codex/config.toml", "[plugins.\"scaffoldwatch@ours\"]\nenabled = false\n", 0o600)
	text, _ = hooksChecked(t, agentHooksOnly)
	require.Contains(t, text, "no hooks: scaffoldwatch install --agent claude-code")
	require.NotContains(t, text, "plugin")
}
