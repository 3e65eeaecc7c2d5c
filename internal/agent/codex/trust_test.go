package codex

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// GD-22: Codex runs a hook only once the person approved it.
func TestUntrusted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hooks.json")
	events := []string{"SessionStart", "PreToolUse", "Stop"}
	untrusted, err := Untrusted(file, events)
	require.NoError(t, err)
	require.Equal(t, events, untrusted, "nothing was approved")
	config := "model = \"x\"\n[hooks.state.\"" + file + ":session_start:0:0\"]\ntrusted_hash = \"sha256:aa\"\nenabled = true\n" +
		"[hooks.state.\"" + file + ":pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:bb\"\nenabled = false\n[hooks.state.\"/elsewhere/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:cc\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "config.toml"), []byte(config), 0o600))
	untrusted, err = Untrusted(file, events)
	require.NoError(t, err)
	require.Equal(t, []string{"PreToolUse", "Stop"}, untrusted)
}
