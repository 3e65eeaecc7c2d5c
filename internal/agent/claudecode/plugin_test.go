package claudecode_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
)

var update = flag.Bool("update", false, "write the hooks of the Claude Code plugin")

var pluginFolder = filepath.Join("..", "..", "..", "deploy", "claude-code-plugin")

// hooksOf reads the hooks of a file of settings.
func hooksOf(t *testing.T, data []byte) any {
	t.Helper()
	var file map[string]any
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file["hooks"])
	return file["hooks"]
}

// The plugin holds the hooks that the installer writes.
func TestGeneratedPlugin(t *testing.T) {
	path := filepath.Join(pluginFolder, "hooks", "hooks.json")
	want, err := claudecode.PluginHooks()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, want, 0o644))
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(have), "run make golden")

	change, err := install.Plan{
		Settings: &claudecode.Settings, Scope: install.ScopeUser, Home: t.TempDir(), Environment: func(string) string { return "" },
		URL: install.DefaultURL, Client: install.ClientName,
	}.Install()
	require.NoError(t, err)
	require.Equal(t, hooksOf(t, change.After), hooksOf(t, have))
}

func TestPluginManifest(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(pluginFolder, ".claude-plugin", "plugin.json"))
	require.NoError(t, err)
	var manifest struct{ Name, Version, Description, License string }
	require.NoError(t, json.Unmarshal(data, &manifest))
	require.Equal(t, "scaffoldwatch", manifest.Name)
	require.Regexp(t, `^\d+\.\d+\.\d+$`, manifest.Version)
	require.NotEmpty(t, manifest.Description)
	require.Equal(t, "Apache-2.0", manifest.License)
}
