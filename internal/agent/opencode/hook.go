package opencode

import (
	_ "embed"
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Hooks are the events that our plugin sends, under the names that most agents have for them.
var Hooks = hook.Dialect{
	Agent: Name, Inject: hook.InjectMidTool, Halt: hook.HaltHard,
	Hooks: map[string]*hook.Kind{
		"SessionStart": hook.SessionStart, "UserPromptSubmit": hook.Prompt, "AssistantText": hook.Response,
		"PreToolUse": hook.BeforeTool, "PostToolUse": hook.AfterTool, "PostToolUseFailure": hook.AfterTool,
		"SubagentStart": hook.SubagentStart, "SubagentStop": hook.SubagentStop, "PostCompact": hook.Compact,
		"Stop": hook.Stop, "StopFailure": hook.StopFailure, "SessionEnd": hook.SessionEnd,
	},
	Outcome: hookOutcome,
	Reply:   reply,
}

//go:embed plugin.js
var plugin string

// Settings describes where the plugin is installed: OpenCode loads every file of that folder.
var Settings = install.Settings{
	Agent: Name, Folder: ".config/opencode/plugins", Project: ".opencode/plugins",
	Home: []string{"OPENCODE_CONFIG_DIR"}, Below: "plugins", Config: "opencode/plugins", File: "scaffoldwatch.js",
	Module: plugin,
	Hooks: []string{
		"SessionStart", "UserPromptSubmit", "AssistantText", "PreToolUse", "PostToolUse", "PostToolUseFailure",
		"SubagentStart", "SubagentStop", "PostCompact", "Stop", "StopFailure", "SessionEnd",
	},
	Trust: "OpenCode loads plugins when it starts: start it again.",
}

// hookReply is an answer to the plugin, which carries it out.
type hookReply struct {
	Deny    string `json:"deny,omitempty"`    // the tool does not run
	Halt    string `json:"halt,omitempty"`    // the response ends
	Context string `json:"context,omitempty"` // is added to the tool's result or the person's message
	Prompt  string `json:"prompt,omitempty"`  // the agent goes on with it
	Person  string `json:"person,omitempty"`  // is shown to the person for a while
}

// reply adds what the person sees (CO-4), unless OpenCode shows it, as it does a denial.
func reply(e *hook.Event, r hook.Reply) any {
	out := decided(e, r)
	switch {
	case out.Prompt != "":
		out.Person = r.Unseen()
	case r.Refusal() == "":
		out.Person = r.Person
	}
	if out == (hookReply{}) {
		return nil
	}
	return out
}

// decided returns what happens to the agent.
func decided(e *hook.Event, r hook.Reply) hookReply {
	switch {
	case r.Halt != "":
		switch e.Point {
		case hook.PointBeforeTool:
			return hookReply{Deny: r.Halt, Halt: r.Halt}
		case hook.PointPrompt:
			return hookReply{Halt: r.Halt}
		case hook.PointAfterTool:
			return hookReply{Halt: r.Halt, Person: r.Halt}
		}
	case e.Point == hook.PointBeforeTool && r.Deny != "":
		return hookReply{Deny: r.Deny}
	case r.Context == "":
	case e.Point == hook.PointAfterTool && e.Name == "PostToolUse", e.Point == hook.PointPrompt:
		return hookReply{Context: r.Context}
	case e.Name == "Stop":
		return hookReply{Prompt: hook.NotThePerson + r.Context}
	}
	return hookReply{}
}

// hookOutcome parses the result of a tool in the form of the plugin.
func hookOutcome(b *sessionevents.Block, r hook.Result) {
	var res struct {
		Output   loose.String `json:"output"`
		Metadata struct {
			Exit *loose.Int `json:"exit"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(r.Response, &res); err != nil && !loose.Mismatch(err) {
		b.Output = loose.Text(r.Response)
		return
	}
	b.Output = string(res.Output)
	if exit := res.Metadata.Exit; exit != nil {
		b.ExitCode = loose.Code(int(*exit))
	}
	b.Rejected, _ = outcome.Default().Rejected(b.Output)
	b.IsError = loose.Flag(b.ExitCode != nil && *b.ExitCode != 0 && !b.Rejected)
}
