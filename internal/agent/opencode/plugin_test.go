package opencode_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/opencode"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func plan(t *testing.T, home string) install.Plan {
	t.Helper()
	return install.Plan{
		Settings: &opencode.Settings, Scope: install.ScopeUser, Home: home, Environment: func(string) string { return "" },
		URL: install.DefaultURL, Program: "/opt/it's here/scaffoldwatch", FailClosed: true,
	}
}

// The plugin is a file of ours alone: install writes it, uninstall deletes it, another's file stays (IN-21).
func TestInstalled(t *testing.T) {
	p := plan(t, t.TempDir())
	c, err := p.Install()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(p.Home, ".config/opencode/plugins/scaffoldwatch.js"), c.Path)
	require.NoError(t, c.Apply())
	again, err := p.Install()
	require.NoError(t, err)
	require.True(t, again.Empty(), "a second time changes nothing")
	found, err := p.Installed()
	require.NoError(t, err)
	require.Equal(t, "/opt/it's here/scaffoldwatch", found.Program)
	require.Contains(t, found.Command, "hook --agent opencode --fail-closed")
	c, err = p.Uninstall()
	require.NoError(t, err)
	require.True(t, c.Remove)
	require.NoError(t, c.Apply())
	require.NoFileExists(t, c.Path)

	require.NoError(t, os.WriteFile(c.Path, []byte("export const Mine = async () => ({})\n"), 0o600))
	_, err = p.Install()
	require.ErrorContains(t, err, "is not ours; nothing was changed")
	c, err = p.Uninstall()
	require.NoError(t, err)
	require.True(t, c.Empty())
}

// OpenCode's configuration is below XDG_CONFIG_HOME, or in OPENCODE_CONFIG_DIR.
func TestInstalledElsewhere(t *testing.T) {
	for name, want := range map[string]string{
		"XDG_CONFIG_HOME": "/x/opencode/plugins/scaffoldwatch.js", "OPENCODE_CONFIG_DIR": "/x/plugins/scaffoldwatch.js",
	} {
		p := plan(t, t.TempDir())
		p.Environment = func(asked string) string {
			if asked == name {
				return "/x"
			}
			return ""
		}
		c, err := p.Install()
		require.NoError(t, err)
		require.Equal(t, want, c.Path)
	}
}

// The plugin tells what OpenCode does and carries the answers out: a denial, a halt, a text beside a
// result, one that makes the agent go on. What it tells is understood.
func TestPluginInOpenCode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on this machine")
	}
	folder := t.TempDir()
	log := filepath.Join(folder, "told.jsonl")
	answer, err := filepath.Abs("plugintest/answer.mjs")
	require.NoError(t, err)
	command, err := json.Marshal([]string{node, answer, log})
	require.NoError(t, err)
	plugin := filepath.Join(folder, "plugin.mjs")
	source := strings.Replace(opencode.Settings.Module, "COMMAND", string(command), 1)
	source = strings.Replace(source, "const limit = 5000", "const limit = 60000", 1) // a busy machine
	require.NoError(t, os.WriteFile(plugin, []byte(source), 0o600))

	out, err := exec.CommandContext(t.Context(), node, "plugintest/host.mjs", plugin).Output()
	require.NoError(t, err)
	require.JSONEq(t, `{"aborted":["ses_1"],"prompts":["Go on."],"denied":"That file is a person's.",
		"output":"FAIL till\n\nIt failed.","prompt":"Fix the till.\n\nMind the till.","shown":["The agent was told."]}`, string(out))

	told, err := os.ReadFile(log)
	require.NoError(t, err)
	var names []string
	for line := range strings.Lines(string(told)) {
		e, err := opencode.Hooks.Parse([]byte(line))
		require.NoError(t, err, line)
		require.Equal(t, "ses_1", e.Session)
		names = append(names, e.Name)
		call := e.Call()
		switch e.Name {
		case "UserPromptSubmit":
			require.Equal(t, "Fix the till.", e.Said())
		case "AssistantText":
			require.Equal(t, "I look at the till.", call.Pieces[0].Block.Text)
		case "PostToolUse":
			require.Equal(t, 1, *call.Pieces[0].Block.ExitCode)
		case "PostToolUseFailure":
			require.Equal(t, sessionevents.BlockToolResult, call.Pieces[0].Block.Type)
			require.Equal(t, "File not found", call.Pieces[0].Block.Output)
		case "Stop":
			require.Equal(t, "I look at the till.", e.Reported())
		case "SubagentStart", "SubagentStop":
			require.NotEqual(t, e.Session, e.Speaker)
		}
	}
	require.Equal(t, []string{
		"SessionStart", "UserPromptSubmit", "AssistantText", "PreToolUse", "PostToolUse", "PreToolUse", "PreToolUse",
		"PostToolUseFailure", "SubagentStart", "PreToolUse", "SubagentStop", "PostCompact", "Stop", "SessionEnd",
	}, names)
}
