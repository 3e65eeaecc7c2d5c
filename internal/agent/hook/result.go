package hook

import (
	"encoding/json"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Result is the result of a tool as the agent sends it.
type Result struct {
	Response json.RawMessage // tool_response
	Output   json.RawMessage // tool_output, from Cursor
	Object   json.RawMessage // tool_result, from Copilot CLI
}

// result returns the outcome of one call in the form of its own hook.
func result(d *Dialect, name string, t *tool) sessionevents.Block {
	b := t.block()
	if !failed(name, t) {
		d.Outcome(&b, Result{Response: t.Outcome, Output: t.Output, Object: t.Object})
		return cleaned(b)
	}
	b.Output = loose.Text(t.Error)
	if b.Output == "" {
		b.Output = string(t.ErrorText)
	}
	b.Output, b.ExitCode = outcome.ExitLine(b.Output)
	b.Rejected, _ = outcome.Default().Rejected(b.Output)
	b.Rejected = b.Rejected || bool(t.Interrupted) || t.Failure == "permission_denied"
	b.IsError = loose.Flag(!b.Rejected)
	return cleaned(b)
}

// failed reports whether the hook marks the call as failed.
func failed(name string, t *tool) bool {
	return strings.HasSuffix(name, "Failure") || loose.Text(t.Error) != "" || t.ErrorText != ""
}

// batched returns an outcome in the form of its batch: the text that the model gets, without a mark for
// success.
func batched(t *tool) sessionevents.Block {
	b := t.block()
	b.Output = loose.Text(t.Outcome)
	if message := loose.Text(t.Error); message != "" {
		b.Output, b.IsError = message, loose.Flag(true)
	}
	if refused, _ := outcome.Default().Rejected(b.Output); refused {
		b.Rejected, b.IsError = true, loose.Flag(false)
	}
	return cleaned(b)
}

func (t *tool) block() sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(t.ID), Name: string(t.Name), Input: loose.Object(t.Input)}
}

func cleaned(b sessionevents.Block) sessionevents.Block {
	b.Output, b.Input = text.Valid(b.Output), events.ValidUTF8(b.Input)
	return b
}
