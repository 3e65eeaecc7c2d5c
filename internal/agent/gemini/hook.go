package gemini

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Hooks are Gemini CLI's hooks.
var Hooks = hook.Dialect{
	Agent: Name, Inject: hook.InjectMidTool, Halt: hook.HaltHard,
	Hooks: map[string]*hook.Kind{
		"SessionStart": hook.SessionStart, "BeforeAgent": hook.Prompt, "BeforeTool": hook.BeforeTool, "AfterTool": hook.AfterTool,
		"PreCompress": hook.Compact, "AfterAgent": hook.Stop, "SessionEnd": hook.SessionEnd,
	},
	Outcome: func(b *sessionevents.Block, r hook.Result) { outcomeOf(b, r.Response) },
	Reply:   reply,
}

// reply adds what the person sees (CO-4) where Gemini CLI supports it and does not show the text itself, as
// it does for a halt and a message at a stop; at the start of a session it would print it twice.
func reply(e *hook.Event, r hook.Reply) any {
	switch {
	case r.Halt != "":
	case e.Point == hook.PointPrompt, e.Point == hook.PointBeforeTool, e.Point == hook.PointAfterTool:
		return hook.Shown(decided(e, r), r.Person)
	case e.Point == hook.PointStop:
		return hook.Shown(decided(e, r), r.Unseen())
	}
	return decided(e, r)
}

// decided returns the reply without a text for the person.
func decided(e *hook.Event, r hook.Reply) any {
	switch e.Point {
	case hook.PointBeforeTool:
		if r.Halt != "" {
			out := hook.Halted(r.Halt)
			out.Decision, out.Reason = "deny", r.Halt
			return out
		}
		return hook.Decided("deny", r.Deny)
	case hook.PointPrompt:
		if r.Halt != "" {
			return hook.Decided("deny", r.Halt)
		}
		return hook.Context(e, r.Context)
	case hook.PointAfterTool, hook.PointStop:
		if r.Halt != "" {
			return hook.Halted(r.Halt)
		}
		if e.Point == hook.PointStop {
			return hook.Decided("block", r.Context)
		}
		return hook.Context(e, r.Context)
	}
	return nil
}

// outcomeOf completes the result of a call in the form of hooks: what the model gets, what the person sees,
// and an error.
func outcomeOf(b *sessionevents.Block, raw json.RawMessage) {
	var r struct {
		Content json.RawMessage `json:"llmContent"`
		Display json.RawMessage `json:"returnDisplay"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(raw, &r); err != nil && !loose.Mismatch(err) || len(r.Content)+len(r.Display)+len(r.Error) == 0 {
		b.Output = loose.Text(raw)
		return
	}
	b.Output, b.ExitCode = shellOutput(loose.Text(r.Content))
	problem := loose.Text(r.Error)
	if b.Output == "" {
		b.Output = problem
	}
	b.Rejected, _ = outcome.Default().Rejected(b.Output)
	failed := problem != "" || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !b.Rejected)
	if !failed && !b.Rejected {
		b.Patch = edit(r.Display)
	}
}
