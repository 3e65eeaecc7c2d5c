package all

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
)

// plugins are the agents with a plugin of ours.
var plugins = []struct {
	folder, manifest string
	settings         *install.Settings
	hooks            func() ([]byte, error)
	root             string // variable with the folder of the plugin
}{
	{"claude-code-plugin", ".claude-plugin", &claudecode.Settings, claudecode.PluginHooks, "CLAUDE_PLUGIN_ROOT"},
	{"codex-plugin", ".codex-plugin", &codex.Settings, codex.PluginHooks, "PLUGIN_ROOT"},
}

func pluginFolder(t *testing.T, name string) string {
	t.Helper()
	folder, err := filepath.Abs(filepath.Join("..", "..", "..", "deploy", name))
	require.NoError(t, err)
	return folder
}

// A plugin holds the hooks that the installer writes, and says what it is (CO-24).
func TestGeneratedPlugins(t *testing.T) {
	for _, p := range plugins {
		path := filepath.Join(pluginFolder(t, p.folder), "hooks", "hooks.json")
		want, err := p.hooks()
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(path, want, 0o644)) //nolint:gosec // a file of the repository
		}
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "run make golden")

		change, err := install.Plan{
			Settings: p.settings, Scope: install.ScopeUser, Home: t.TempDir(), Environment: func(string) string { return "" },
			URL: install.DefaultURL, Client: install.ClientName,
		}.Install()
		require.NoError(t, err)
		line := `sh \"${` + p.root + `}/hook.sh\" ` + p.settings.Agent
		installed := strings.ReplaceAll(string(change.After), install.ClientName+" --agent "+p.settings.Agent, line)
		require.Equal(t, hooksOf(t, []byte(installed)), hooksOf(t, have))

		data, err := os.ReadFile(filepath.Join(pluginFolder(t, p.folder), p.manifest, "plugin.json"))
		require.NoError(t, err)
		var manifest struct{ Name, Version, Description, License string }
		require.NoError(t, json.Unmarshal(data, &manifest))
		require.Equal(t, "scaffoldwatch", manifest.Name)
		require.Regexp(t, `^\d+\.\d+\.\d+$`, manifest.Version)
		require.NotEmpty(t, manifest.Description)
		require.Equal(t, "Apache-2.0", manifest.License)
	}
}

// hooksOf reads the hooks of a file of settings.
func hooksOf(t *testing.T, data []byte) any {
	t.Helper()
	var file map[string]any
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file["hooks"])
	return file["hooks"]
}

// A plugin finds the program wherever people put it, npm's without starting Node; without it the agent
// works on and the person is told once a session (CO-3, CO-24).
func TestPluginFindsTheProgram(t *testing.T) {
	for _, p := range plugins {
		script := filepath.Join(pluginFolder(t, p.folder), "hook.sh")
		call := func(home, path, event string) string {
			t.Helper()
			command := exec.CommandContext(t.Context(), "sh", script, p.settings.Agent)
			command.Env = []string{"HOME=" + home, "PATH=" + path + ":/usr/bin:/bin"}
			command.Stdin = strings.NewReader(`{"session_id":"s","hook_event_name":"` + event + `"}`)
			out, err := command.Output()
			require.NoError(t, err)
			return string(out)
		}
		program := func(elements ...string) string {
			file := filepath.Join(append(elements, install.ClientName)...)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
			text := "#!/bin/sh\necho \"$0 $@\"\ncat\n"
			require.NoError(t, os.WriteFile(file, []byte(text), 0o700)) //nolint:gosec // it is run
			return file
		}
		home := t.TempDir()
		var said struct {
			SystemMessage string `json:"systemMessage"`
		}
		require.NoError(t, json.Unmarshal([]byte(call(home, "/nowhere", "SessionStart")), &said))
		require.Contains(t, said.SystemMessage, "npm install -g scaffoldwatch")
		require.Empty(t, call(home, "/nowhere", "PreToolUse"))

		runs := func(file, path string) {
			t.Helper()
			shown := call(home, path, "PreToolUse")
			require.Contains(t, shown, file+" --agent "+p.settings.Agent)
			require.Contains(t, shown, `"PreToolUse"`, "what the agent sent reaches the program")
		}
		runs(program(home, ".local", "bin"), "/nowhere")
		onPath := program(t.TempDir(), "a folder")
		runs(onPath, filepath.Dir(onPath))
		nested, flat := "lib/node_modules/scaffoldwatch/node_modules", "lib/node_modules"
		for _, packages := range []string{nested, flat} {
			prefix := t.TempDir()
			prefix, err := filepath.EvalSymlinks(prefix)
			require.NoError(t, err)
			native := program(prefix, packages, "scaffoldwatch-linux-x64", "bin")
			wrapper := filepath.Join(prefix, "lib/node_modules/scaffoldwatch/scaffoldwatch-hook.js")
			require.NoError(t, os.MkdirAll(filepath.Dir(wrapper), 0o750))
			never := []byte("#!/bin/sh\nexit 9\n")
			require.NoError(t, os.WriteFile(wrapper, never, 0o700)) //nolint:gosec // it must not be run
			require.NoError(t, os.MkdirAll(filepath.Join(prefix, "bin"), 0o750))
			link := filepath.Join(prefix, "bin", install.ClientName)
			require.NoError(t, os.Symlink("../lib/node_modules/scaffoldwatch/scaffoldwatch-hook.js", link))
			shown := call(home, filepath.Join(prefix, "bin"), "PreToolUse")
			require.Contains(t, shown, "scaffoldwatch-linux-x64/bin/scaffoldwatch-hook --agent", "%s", native)
		}
	}
}

// The plugins hold the same script: an agent copies the folder of its plugin only.
func TestPluginsHoldOneScript(t *testing.T) {
	first, err := os.ReadFile(filepath.Join(pluginFolder(t, plugins[0].folder), "hook.sh"))
	require.NoError(t, err)
	for _, p := range plugins[1:] {
		other, err := os.ReadFile(filepath.Join(pluginFolder(t, p.folder), "hook.sh"))
		require.NoError(t, err)
		require.Equal(t, string(first), string(other))
	}
}
