package here

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// CO-9b: what is said of the last session breaks between words, where the terminal ends.
func TestTheLastSessionFitsTheTerminal(t *testing.T) {
	const width = 40
	session := sessionreport.Model{
		Session: sessionreport.Session{
			Task: "add a client for the payment provider and its tests", Agent: &sessionevents.Agent{Kind: "claude-code"},
		},
		Done: &sessionreport.Done{Verdicts: map[sessionevents.Verdict]int{
			sessionevents.Proven: 3, sessionevents.Unproven: 2, sessionevents.Contradicted: 1, sessionevents.NotCheckable: 4,
		}},
		Interrupts: []sessionreport.Fired{{Turn: 4, Message: strings.Repeat("a credential is in the code, ", 4)}},
	}
	list := lines(session, width)
	for _, line := range list {
		require.LessOrEqual(t, len([]rune(line)), width, line)
	}
	require.Contains(t, strings.Join(list, " "), "claims of done: 3 shown by the record, 2 without evidence, 1 contradicted")
}

// CO-9a: the agents of this machine are named, with our hooks and without.
func TestAgentsAreNamed(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME"} {
		t.Setenv(name, "")
	}
	require.Empty(t, hooked().lines(80))
	settings := filepath.Join(home, ".claude", "settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(settings), 0o700))
	require.NoError(t, os.WriteFile(settings, []byte("{}"), 0o600))
	require.Equal(t, []string{"claude-code: without our hooks"}, hooked().lines(80))
	const ours = `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/opt/scaffoldwatch-hook --agent claude-code"}]}]}}`
	require.NoError(t, os.WriteFile(settings, []byte(ours), 0o600))
	require.Equal(t, []string{"claude-code: guarded"}, hooked().lines(80))
	codex := filepath.Join(home, ".codex")
	require.NoError(t, os.Mkdir(codex, 0o700)) // used, and without settings so far
	require.Equal(t, []string{"claude-code: guarded", "codex: without our hooks"}, hooked().lines(80))
	theirs := strings.ReplaceAll(ours, "claude-code", "codex")
	require.NoError(t, os.WriteFile(filepath.Join(codex, "hooks.json"), []byte(theirs), 0o600))
	untrusted := "codex: not guarded yet: start it and trust our hooks"
	require.Equal(
		t, []string{"claude-code: guarded", untrusted}, hooked().lines(80),
		"an agent that does not run our hooks is not guarded by them",
	)
}
