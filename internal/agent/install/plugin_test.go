package install

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the hooks of the Claude Code plugin")

var pluginFolder = filepath.Join("..", "..", "..", "deploy", "claude-code-plugin")

// The plugin holds the hooks that the installer writes.
func TestPluginIsGeneratedByTheInstaller(t *testing.T) {
	path := filepath.Join(pluginFolder, "hooks", "hooks.json")
	want, err := PluginHooks()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, want, 0o644))
	}
	require.Equal(t, string(want), content(t, path), "run make golden")

	p := planFor(t, "claude-code")
	install(t, p)
	require.Equal(t, settings(t, p.fileFor(t))["hooks"], settings(t, path)["hooks"])
}

func TestPluginManifest(t *testing.T) {
	var manifest struct{ Name, Version, Description, License string }
	require.NoError(t, json.Unmarshal([]byte(content(t, filepath.Join(pluginFolder, ".claude-plugin", "plugin.json"))), &manifest))
	require.Equal(t, "scaffoldwatch", manifest.Name)
	require.Regexp(t, `^\d+\.\d+\.\d+$`, manifest.Version)
	require.NotEmpty(t, manifest.Description)
	require.Equal(t, "Apache-2.0", manifest.License)
}
