package codex

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"

// Settings describes where Codex's hooks are installed.
var Settings = install.Settings{
	Agent: Name, Folder: ".codex", Home: []string{"CODEX_HOME"}, File: "hooks.json", Timeout: 5,
	Hooks: []string{
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop",
		"PreCompact", "Stop", "SessionEnd",
	},
	Trust: "Codex runs new hooks only after a person has trusted them: start codex and choose \"Trust all and continue\", or review them with /hooks. Without a terminal, `codex exec --dangerously-bypass-hook-trust` runs them in one call.",
}

// PluginHooks returns hooks/hooks.json of the Codex plugin.
func PluginHooks() ([]byte, error) {
	return Settings.Document(`sh "${PLUGIN_ROOT}/hook.sh" codex`)
}
