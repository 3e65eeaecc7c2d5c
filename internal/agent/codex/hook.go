package codex

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Hooks are Codex's hooks.
var Hooks = hook.Dialect{
	Agent: Name, Inject: hook.InjectMidTool, Halt: hook.HaltSoft,
	Hooks: map[string]*hook.Kind{
		"SessionStart": hook.SessionStart, "UserPromptSubmit": hook.Prompt,
		"PreToolUse": hook.BeforeTool, "PostToolUse": hook.AfterTool,
		"SubagentStart": hook.SubagentStart, "SubagentStop": hook.SubagentStop, "PreCompact": hook.Compact,
		"Stop": hook.Stop, "SessionEnd": hook.SessionEnd,
	},
	Outcome: func(b *sessionevents.Block, r hook.Result) { Outcome(b, r.Response) },
	Reply:   reply,
}

// reply adds what the person sees (CO-4) where Codex supports it and does not show the text itself, as it
// does for a denial and a message at a stop.
func reply(e *hook.Event, r hook.Reply) any {
	switch {
	case r.Refusal() != "":
	case e.Name == "Stop":
		return hook.Shown(decided(e, r), r.Unseen())
	case e.Name == "SessionStart", e.Point == hook.PointPrompt, e.Point == hook.PointBeforeTool, e.Point == hook.PointAfterTool:
		return hook.Shown(decided(e, r), r.Person)
	}
	return decided(e, r)
}

// decided returns the reply's decision. Codex ignores continue:false, and drops a reply entirely if it has
// a field that the event does not have, such as hookSpecificOutput at Stop.
func decided(e *hook.Event, r hook.Reply) any {
	switch {
	case e.Point == hook.PointBeforeTool:
		return hook.Refused(e, r)
	case e.Point == hook.PointPrompt && r.Halt != "":
		return hook.Decided("block", r.Halt)
	case r.Halt != "":
		return nil // its next tool is denied; at its end it stops by itself
	case e.Point == hook.PointPrompt, e.Point == hook.PointAfterTool:
		return hook.Context(e, r.Context)
	case e.Name == "Stop":
		return hook.Decided("block", r.Context)
	}
	return nil
}

// Outcome completes the result of a call in the form of hooks. Codex has no error flag: the exit code shows
// failure.
func Outcome(b *sessionevents.Block, raw json.RawMessage) {
	b.Output, b.ExitCode = output(raw)
	var object struct {
		ExitCode *loose.Int `json:"exit_code"`
	}
	if b.ExitCode == nil && json.Unmarshal(raw, &object) == nil {
		b.ExitCode = code(object.ExitCode)
	}
	b.Rejected, _ = outcome.Default().Rejected(b.Output)
	fail(b, b.ExitCode != nil && *b.ExitCode != 0 || failedText(b.Output))
}
