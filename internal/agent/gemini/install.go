package gemini

import "github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"

// Settings describes where Gemini CLI's hooks are installed; its /hooks shows the handler's name instead of
// the command.
var Settings = install.Settings{
	Agent: Name, Folder: ".gemini", Base: []string{"GEMINI_CLI_HOME"}, File: "settings.json", Timeout: 5000, HandlerName: "scaffoldwatch",
	Hooks: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd"},
	Off:   []string{"hooksConfig", "enabled"}, OffWhen: "false",
}
