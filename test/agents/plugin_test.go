package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/test/agents/mockmodel"
)

// pluginCommands are the commands with which a person installs the plugin of this repository.
var pluginCommands = map[string][][]string{
	"claude-code": {
		{"claude", "plugin", "marketplace", "add", "ROOT"},
		{"claude", "plugin", "install", "scaffoldwatch@scaffoldwatch"},
	},
	"codex": {
		{"codex", "plugin", "marketplace", "add", "ROOT"},
		{"codex", "plugin", "add", "scaffoldwatch@scaffoldwatch"},
	},
}

// The plugin from the marketplace in this repository guards on its own: nothing else of ours was set up or
// is running, and what the person did not commit stays. Without it the same run loses that (CO-24).
func TestPluginGuards(t *testing.T) {
	for _, a := range allAgents {
		commands := pluginCommands[a.name]
		if commands == nil {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			require.Equal(t, "one\n", afterReset(t, a, nil), "what is lost without the plugin")
			require.Equal(t, "the person's\n", afterReset(t, a, commands))
		})
	}
}

// afterReset returns what is left of a person's file after an agent ran `git checkout .`.
func afterReset(t *testing.T, a agent, commands [][]string) string {
	t.Helper()
	b := prepare(t, a, mockmodel.Commands("git checkout .", "touch two"))
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	inside := func(program string, args ...string) {
		t.Helper()
		command := exec.CommandContext(t.Context(), program, args...)
		command.Dir, command.Env = b.project, b.environment()
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s %v: %s", program, args, out)
		t.Logf("%s", out)
	}
	file := filepath.Join(b.project, "a.txt")
	write(t, file, "one\n")
	inside("git", "init", "-q")
	inside("git", "add", ".")
	inside("git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "first")
	write(t, file, "the person's\n")
	for _, words := range commands {
		for i, word := range words {
			if word == "ROOT" {
				words[i] = root
			}
		}
		inside(filepath.Join(b.tools, words[0]), words[1:]...)
	}
	o := b.run()
	require.True(t, b.made("two"), "%s\n%s", tail(o.out, 2000), tail(o.errors, 2000))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
