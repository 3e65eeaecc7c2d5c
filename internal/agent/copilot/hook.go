package copilot

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Hooks are Copilot CLI's hooks under their capitalised names, whose JSON has the members that most agents
// share.
var Hooks = hook.Dialect{
	Agent: Name, Inject: hook.InjectMidTool, Halt: hook.HaltSoft,
	Hooks: map[string]*hook.Kind{
		"SessionStart": hook.SessionStart, "UserPromptSubmit": hook.Prompt, "PreToolUse": hook.BeforeTool,
		"PostToolUse": hook.AfterTool, "PostToolUseFailure": hook.AfterTool, "SubagentStop": hook.SubagentStop,
		"PreCompact": hook.Compact, "Stop": hook.Stop, "SessionEnd": hook.SessionEnd,
	},
	Outcome: hookOutcome,
	Reply:   reply,
}

// Settings describes where Copilot CLI's hooks are installed: in a file of our own.
var Settings = install.Settings{
	Agent: Name, Flat: true, Folder: ".copilot/hooks", Project: ".github/hooks", Home: []string{"COPILOT_HOME"},
	Below: "hooks",
	File:  "scaffoldwatch.json", Timeout: 5, Version: 1,
	Hooks: []string{
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStop",
		"PreCompact",
		"Stop", "SessionEnd",
	},
	Off: []string{"disableAllHooks"}, OffWhen: "true",
}

// hookReply is a reply to Copilot CLI, which takes the fields it knows from one flat object.
type hookReply struct {
	Permission string `json:"permissionDecision,omitempty"`
	Why        string `json:"permissionDecisionReason,omitempty"`
	Context    string `json:"additionalContext,omitempty"`
	Decision   string `json:"decision,omitempty"`
	Reason     string `json:"reason,omitempty"`
}

func reply(e *hook.Event, r hook.Reply) any {
	switch {
	case e.Point == hook.PointBeforeTool:
		if reason := r.Refusal(); reason != "" {
			return hookReply{Permission: "deny", Why: reason}
		}
	case e.Point == hook.PointPrompt && r.Halt != "":
		return hookReply{Decision: "block", Reason: r.Halt}
	case r.Halt != "" || r.Context == "":
	case e.Name == "PostToolUse", e.Point == hook.PointPrompt:
		return hookReply{Context: r.Context}
	case e.Name == "Stop":
		return hookReply{Decision: "block", Reason: hook.NotThePerson + r.Context}
	}
	return nil
}

// hookOutcome parses a result in the form of hooks.
func hookOutcome(b *sessionevents.Block, r hook.Result) {
	var res struct {
		Type loose.String `json:"result_type"`
		Text loose.String `json:"text_result_for_llm"`
	}
	if err := json.Unmarshal(r.Object, &res); err != nil && !loose.Mismatch(err) {
		b.Output = loose.Text(r.Object)
		return
	}
	b.Output, b.ExitCode = shell(string(res.Text))
	refused, _ := outcome.Default().Rejected(b.Output)
	b.Rejected = refused || res.Type == "denied"
	failed := res.Type == "failure" || res.Type == "error" || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !b.Rejected)
}
