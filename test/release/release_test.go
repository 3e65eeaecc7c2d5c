// Package release tries what make release makes, as far as this machine can (CO-1, CO-24).
package release

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// run runs a program in a folder with a home of its own and returns what it printed.
func run(t *testing.T, folder string, environment []string, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), environment...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, out)
	return string(out)
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s in PATH", name)
		}
	}
}

// The marketplace names plugins that are in the repository, under their own names.
func TestMarketplace(t *testing.T) {
	read := func(path string, into any) {
		data, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, into))
	}
	var market struct {
		Name    string
		Owner   struct{ Name string }
		Plugins []struct{ Name, Source string }
	}
	read(".claude-plugin/marketplace.json", &market)
	require.NotEmpty(t, market.Name)
	require.NotEmpty(t, market.Owner.Name)
	require.NotEmpty(t, market.Plugins)
	for _, p := range market.Plugins {
		var plugin struct{ Name string }
		read(filepath.Join(p.Source, ".claude-plugin", "plugin.json"), &plugin)
		require.Equal(t, p.Name, plugin.Name)
		require.FileExists(t, filepath.Join(root, p.Source, "hooks", "hooks.json"))
	}
}

// Codex reads its own marketplace first, whose plugin names Codex as the caller.
func TestMarketplaceOfCodex(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, ".agents/plugins/marketplace.json"))
	require.NoError(t, err)
	var market struct {
		Name    string
		Plugins []struct {
			Name   string
			Source struct{ Path string }
		}
	}
	require.NoError(t, json.Unmarshal(data, &market))
	require.Len(t, market.Plugins, 1)
	require.Equal(t, "scaffoldwatch@scaffoldwatch", market.Plugins[0].Name+"@"+market.Name)
	require.FileExists(t, filepath.Join(root, market.Plugins[0].Source.Path, ".codex-plugin", "plugin.json"))
}

// The package for npm runs the program of its platform with its arguments and its exit code, and says what is
// missing if there is none.
func TestWrapperOfNpm(t *testing.T) {
	needs(t, "node")
	modules := filepath.Join(t.TempDir(), "node_modules")
	wrapper, err := os.ReadFile(filepath.Join(root, "deploy/release/npm/scaffoldwatch.js"))
	require.NoError(t, err)
	platform := strings.TrimSpace(run(t, root, nil, "node", "-p", "process.platform + '-' + process.arch"))
	own := filepath.Join(modules, "scaffoldwatch-"+platform, "bin")
	require.NoError(t, os.MkdirAll(filepath.Join(modules, "scaffoldwatch"), 0o750))
	for _, name := range []string{"scaffoldwatch", "scaffoldwatch-hook"} {
		script := filepath.Join(modules, "scaffoldwatch", name+".js")
		require.NoError(t, os.WriteFile(script, wrapper, 0o600))
		out, err := exec.CommandContext(t.Context(), "node", script).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "the package scaffoldwatch-"+platform+" is not installed")
	}
	require.NoError(t, os.MkdirAll(own, 0o750))
	for _, name := range []string{"scaffoldwatch", "scaffoldwatch-hook"} {
		program := "#!/bin/sh\necho " + name + " \"$@\"\nexit 3\n"
		require.NoError(t, os.WriteFile(filepath.Join(own, name), []byte(program), 0o700)) //nolint:gosec // it is run
		out, err := exec.CommandContext(
			t.Context(), "node", filepath.Join(modules, "scaffoldwatch", name+".js"), "a b", "c",
		).Output()
		var ended *exec.ExitError
		require.ErrorAs(t, err, &ended)
		require.Equal(t, 3, ended.ExitCode())
		require.Equal(t, name+" a b c\n", string(out))
	}
}
