package here

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// CO-9a: the agents of this machine are named, with our hooks and without.
func TestAgentsAreNamed(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		t.Setenv(name, "")
	}
	guarded, bare := hooked()
	require.Empty(t, agentLines(guarded, bare))
	settings := filepath.Join(home, ".claude", "settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(settings), 0o700))
	require.NoError(t, os.WriteFile(settings, []byte("{}"), 0o600))
	guarded, bare = hooked()
	require.Equal(t, []string{"claude-code: without our hooks"}, agentLines(guarded, bare))
	const ours = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/opt/scaffoldwatch-hook --agent claude-code"}]}]}}`
	require.NoError(t, os.WriteFile(settings, []byte(ours), 0o600))
	guarded, bare = hooked()
	require.Equal(t, []string{"claude-code: guarded"}, agentLines(guarded, bare))
}
