package claudecode

import (
	"encoding/json"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Hooks are Claude Code's hooks.
var Hooks = hook.Dialect{
	Agent: Name, Inject: hook.InjectMidTool, Halt: hook.HaltHard, Batches: true,
	Hooks: map[string]*hook.Kind{
		"SessionStart": hook.SessionStart, "UserPromptSubmit": hook.Prompt, "MessageDisplay": hook.Message,
		"PreToolUse": hook.BeforeTool, "PostToolUse": hook.AfterTool, "PostToolUseFailure": hook.AfterTool, "PostToolBatch": hook.AfterBatch,
		"SubagentStart": hook.SubagentStart, "SubagentStop": hook.SubagentStop, "PreCompact": hook.Compact,
		"TaskCreated": hook.Teamwork, "TaskCompleted": hook.Teamwork, "TeammateIdle": hook.Teamwork,
		"PostCompact": hook.Compact, "PermissionRequest": hook.Asked, "PermissionDenied": hook.Denied,
		"Stop": hook.Stop, "StopFailure": hook.StopFailure, "SessionEnd": hook.SessionEnd,
	},
	Outcome: func(b *sessionevents.Block, r hook.Result) { outcomeOf(b, r.Response) },
	Reply:   reply,
}

// reply adds what the person sees (CO-4) where Claude Code supports it and does not show the text itself,
// as it does for a denial, a halt and a message at a stop.
func reply(e *hook.Event, r hook.Reply) any {
	switch {
	case r.Refusal() != "":
	case e.Name == "Stop": // it shows the text with which it makes the agent continue
		return hook.Shown(decided(e, r), r.Unseen())
	case e.Name == "SessionStart", e.Point == hook.PointPrompt,
		e.Point == hook.PointBeforeTool, e.Point == hook.PointAfterTool, e.Point == hook.PointAfterBatch:
		return hook.Shown(decided(e, r), r.Person)
	}
	return decided(e, r)
}

// stopping are the hooks of subagents and teammates at which continue:false ends them.
var stopping = []string{"SubagentStop", "TaskCreated", "TaskCompleted", "TeammateIdle"}

// decided: before a tool a denial wins over continue:false, which would let the
// tool run; after a tool continue:false ends the loop.
func decided(e *hook.Event, r hook.Reply) any {
	switch {
	case e.Point == hook.PointBeforeTool:
		return hook.Refused(e, r)
	case e.Point == hook.PointPrompt && r.Halt != "":
		return hook.Decided("block", r.Halt)
	case e.Point == hook.PointPrompt, e.Name == "Stop", e.Point == hook.PointAfterTool, e.Point == hook.PointAfterBatch:
		if r.Halt != "" {
			return hook.Halted(r.Halt)
		}
		return hook.Context(e, r.Context)
	case e.Name == "PermissionRequest" && r.Halt != "":
		return answered(r.Halt)
	case slices.Contains(stopping, e.Name) && r.Halt != "":
		return hook.Halted(r.Halt)
	}
	return nil
}

// answered denies a call that waits for its person, and ends the agent's work.
func answered(why string) any {
	type decision struct {
		Behavior  string `json:"behavior"`
		Message   string `json:"message"`
		Interrupt bool   `json:"interrupt"`
	}
	type specific struct {
		Event    string   `json:"hookEventName"`
		Decision decision `json:"decision"`
	}
	return struct {
		Specific specific `json:"hookSpecificOutput"`
	}{specific{"PermissionRequest", decision{"deny", why, true}}}
}

// outcomeOf completes the result of a successful call from what the harness knows about it, in the form of
// its hooks and of toolUseResult in transcripts.
func outcomeOf(b *sessionevents.Block, raw json.RawMessage) {
	var r struct {
		toolUseResult
		File struct {
			Content loose.String `json:"content"`
		} `json:"file"`
	}
	if err := json.Unmarshal(raw, &r); err != nil && !loose.Mismatch(err) {
		b.Output = loose.Text(raw)
		return
	}
	b.IsError = loose.Flag(false)
	b.Patch = r.patch()
	switch {
	case r.File.Content != "":
		b.Output = string(r.File.Content)
	case len(b.Patch) == 0: // an edit's result repeats the file
		b.Output = loose.Text(raw)
	}
	if bool(r.Stdout) && !bool(r.Interrupted) {
		b.ExitCode = loose.Code(0)
	}
}
