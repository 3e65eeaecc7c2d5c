package claudecode

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"

// Settings describes where Claude Code's hooks are installed.
var Settings = install.Settings{
	Agent: Name, Folder: ".claude", Home: []string{"CLAUDE_CONFIG_DIR"}, File: "settings.json",
	Timeout: 5,
	Hooks: []string{
		"SessionStart", "UserPromptSubmit", "MessageDisplay", "PreToolUse", "PostToolUse", "PostToolUseFailure",
		"PostToolBatch", "SubagentStart", "SubagentStop", "PreCompact", "PostCompact", "PermissionRequest",
		"PermissionDenied", "TaskCreated", "TaskCompleted", "TeammateIdle",
		"Stop", "StopFailure", "SessionEnd",
	},
	Off: []string{"disableAllHooks"}, OffWhen: "true",
}

// PluginHooks returns hooks/hooks.json of the Claude Code plugin.
func PluginHooks() ([]byte, error) {
	return Settings.Document(`sh "${CLAUDE_PLUGIN_ROOT}/hook.sh" claude-code`)
}
