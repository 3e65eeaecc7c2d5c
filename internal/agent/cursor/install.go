package cursor

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"

// Settings describes where Cursor's hooks are installed.
var Settings = install.Settings{
	Agent: Name, Flat: true, Folder: ".cursor", File: "hooks.json", Timeout: 5, Version: 1,
	Hooks: []string{
		"sessionStart", "beforeSubmitPrompt", "afterAgentThought", "afterAgentResponse", "preToolUse", "postToolUse",
		"postToolUseFailure", "subagentStart", "subagentStop", "preCompact", "stop", "sessionEnd",
	},
}
