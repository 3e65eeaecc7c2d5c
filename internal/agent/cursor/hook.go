package cursor

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Hooks are Cursor's hooks.
var Hooks = hook.Dialect{
	Agent: Name, Inject: hook.InjectMidTool, Halt: hook.HaltSoft, Conversations: true,
	Hooks: map[string]*hook.Kind{
		"sessionStart": hook.SessionStart, "beforeSubmitPrompt": hook.Prompt, "afterAgentThought": hook.Thought, "afterAgentResponse": hook.Response,
		"preToolUse": hook.BeforeTool, "postToolUse": hook.AfterTool, "postToolUseFailure": hook.AfterTool,
		"subagentStart": hook.SubagentStart, "subagentStop": hook.SubagentStop, "preCompact": hook.Compact, "stop": hook.Stop, "sessionEnd": hook.SessionEnd,
		"beforeShellExecution": hook.Gate, "beforeMCPExecution": hook.Gate, "beforeReadFile": hook.Gate,
	},
	Outcome: outcomeOf,
	Reply:   reply,
}

// outcomeOf parses a result, which has the members of Codex's results.
func outcomeOf(b *sessionevents.Block, r hook.Result) {
	raw := loose.Object(r.Output)
	if len(raw) == 0 {
		raw = loose.Object(r.Response)
	}
	codex.Outcome(b, raw)
}

// output is a reply to Cursor.
type output struct {
	Continue   *bool  `json:"continue,omitempty"`
	Permission string `json:"permission,omitempty"`
	ForUser    string `json:"user_message,omitempty"`
	ForAgent   string `json:"agent_message,omitempty"`
	Context    string `json:"additional_context,omitempty"`
	Followup   string `json:"followup_message,omitempty"`
}

func reply(e *hook.Event, r hook.Reply) any {
	switch {
	case e.Point == hook.PointBeforeTool:
		reason := r.Refusal()
		if reason == "" {
			return nil
		}
		return output{Permission: "deny", ForUser: reason, ForAgent: reason}
	case e.Point == hook.PointPrompt && r.Halt != "":
		return output{Continue: new(bool), ForUser: r.Halt}
	case r.Halt != "" || r.Context == "":
		return nil
	case e.Name == "postToolUse":
		return output{Context: r.Context}
	case e.Name == "stop":
		return output{Followup: r.Context}
	}
	return nil
}
