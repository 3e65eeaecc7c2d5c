package agents

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// enabled is the variable by which make e2e-agents requests these tests; it names the folder of the
// binaries.
const enabled = "SCAFFOLDWATCH_TEST_AGENTS"

// binaries returns the folder with scaffoldwatch and the packages.
func binaries(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(enabled)
	if folder == "" {
		t.Skip("needs the agents' command lines: run make e2e-agents")
	}
	return folder
}

var installOnce = sync.OnceValues(installPackages)

// commandLines returns the folder with the agents' command lines; the test is skipped if they cannot be
// installed.
func commandLines(t *testing.T) string {
	t.Helper()
	binaries(t)
	folder, problem := installOnce()
	if problem != "" {
		t.Skip(problem)
	}
	return folder
}

// installPackages installs what package.json pins into a folder that git ignores, unless it is already
// there. The returned problem is one of the machine: no npm, no registry.
func installPackages() (folder, problem string) {
	home := filepath.Join(os.Getenv(enabled), "agents")
	wanted, err := os.ReadFile("package.json")
	if err != nil {
		return "", err.Error()
	}
	folder = filepath.Join(home, "node_modules", ".bin")
	if installed(home, wanted) {
		return folder, ""
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return "", "npm is not installed: " + err.Error()
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", err.Error()
	}
	if err := os.WriteFile(filepath.Join(home, "package.json"), wanted, 0o644); err != nil {
		return "", err.Error()
	}
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
	defer stop()
	command := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--cache", filepath.Join(home, "cache"))
	command.Dir = home
	if out, err := command.CombinedOutput(); err != nil {
		return "", "npm could not install the packages (is the registry reachable?): " + err.Error() + "\n" + tail(string(out), 400)
	}
	return folder, ""
}

// installed reports whether every package is there in its version.
func installed(home string, wanted []byte) bool {
	var list struct{ Dependencies map[string]string }
	if json.Unmarshal(wanted, &list) != nil {
		return false
	}
	for name, version := range list.Dependencies {
		text, err := os.ReadFile(filepath.Join(home, "node_modules", name, "package.json"))
		var found struct{ Version string }
		if err != nil || json.Unmarshal(text, &found) != nil || found.Version != version {
			return false
		}
	}
	return true
}

func tail(text string, n int) string {
	if len(text) > n {
		return "…" + text[len(text)-n:]
	}
	return text
}

// The versions are pinned: the documentation's claims were measured with them.
func TestVersionsArePinned(t *testing.T) {
	text, err := os.ReadFile("package.json")
	require.NoError(t, err)
	var list struct{ Dependencies map[string]string }
	require.NoError(t, json.Unmarshal(text, &list))
	require.Len(t, list.Dependencies, 4)
	for name, version := range list.Dependencies {
		require.Regexp(t, `^\d+\.\d+\.\d+$`, version, name)
	}
}
