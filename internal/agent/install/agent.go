package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Scope says whose settings are changed.
type Scope string

// The scopes: a person's own settings, or those of the project in a folder.
const (
	ScopeUser    Scope = "user"
	ScopeProject Scope = "project"
)

// layout is how an agent writes a handler down.
type layout int

const (
	grouped layout = iota // event → groups → handlers: Claude Code, Codex, Gemini
	flat                  // event → handlers: Cursor
)

// agent is what differs between agents: where the file lies and what stands in it.
type agent struct {
	name     string
	layout   layout
	folder   string   // below the home or the project
	home     []string // variables that name the folder in place of it …
	base     []string // … or the place it lies in
	file     string
	events   []string // hooks that are installed, in the order they are written
	http     bool     // takes HTTP handlers
	commands []string // events that take no HTTP handlers although http is set
	before   string   // the event before a tool, which --fail-closed is about
	timeout  int      // of a handler, in the unit of the agent
	versions int      // number under "version" a new file must have; 0 none
	trust    string   // what a person must still do before the hooks run
	off      []string // member of the settings that switches all hooks off …
	offWhen  string   // … when it has this value
}

// agents are those that can be set up; the times are 5 s, long enough for a
// loaded machine and short enough not to hold a session up when a system hangs.
var agents = []agent{
	{
		name: "claude-code", folder: ".claude", home: []string{"CLAUDE_CONFIG_DIR"}, file: "settings.json",
		http: true, commands: []string{"SessionStart"}, before: "PreToolUse", timeout: 5,
		events: []string{
			"SessionStart", "UserPromptSubmit", "MessageDisplay", "PreToolUse", "PostToolUse", "PostToolUseFailure",
			"PostToolBatch", "SubagentStart", "SubagentStop", "PreCompact", "Stop", "StopFailure", "SessionEnd",
		},
		off: []string{"disableAllHooks"}, offWhen: "true",
	},
	{
		name: "codex", folder: ".codex", home: []string{"CODEX_HOME"}, file: "hooks.json", timeout: 5,
		events: []string{
			"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "SubagentStop",
			"PreCompact", "Stop", "SessionEnd",
		},
		trust: "Codex runs new hooks only after a person has trusted them: start codex and choose \"Trust all and continue\", or review them with /hooks. Without a terminal, `codex exec --dangerously-bypass-hook-trust` runs them in one call.",
	},
	{
		name: "gemini", folder: ".gemini", base: []string{"GEMINI_CLI_HOME"}, file: "settings.json", timeout: 5000,
		events: []string{"SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd"},
		off:    []string{"hooksConfig", "enabled"}, offWhen: "false",
	},
	{
		name: "cursor", layout: flat, folder: ".cursor", file: "hooks.json", timeout: 5, versions: 1,
		events: []string{
			"sessionStart", "beforeSubmitPrompt", "afterAgentThought", "afterAgentResponse", "preToolUse", "postToolUse",
			"postToolUseFailure", "subagentStart", "subagentStop", "preCompact", "stop", "sessionEnd",
		},
	},
}

// Agents lists the names of the agents that can be set up.
func Agents() []string {
	names := make([]string, len(agents))
	for i, a := range agents {
		names[i] = a.name
	}
	return names
}

// Events lists the native hook events that are installed for an agent, or nil.
func Events(name string) []string {
	a, err := agentNamed(name)
	if err != nil {
		return nil
	}
	return slices.Clone(a.events)
}

func agentNamed(name string) (agent, error) {
	for _, a := range agents {
		if a.name == name {
			return a, nil
		}
	}
	return agent{}, fmt.Errorf("no agent %q; there are %s", name, strings.Join(Agents(), ", "))
}

// path is the settings file of a scope.
func (a agent) path(p Plan) (string, error) {
	if p.Scope == ScopeProject {
		return filepath.Join(p.Directory, a.folder, a.file), nil
	}
	for _, name := range a.home {
		if folder := p.Environment(name); folder != "" {
			return filepath.Join(folder, a.file), nil
		}
	}
	for _, name := range a.base {
		if folder := p.Environment(name); folder != "" {
			return filepath.Join(folder, a.folder, a.file), nil
		}
	}
	if p.Home == "" {
		return "", fmt.Errorf("find the settings of %s: no home directory is known; set HOME or use --scope project", a.name)
	}
	return filepath.Join(p.Home, a.folder, a.file), nil
}
