package hook

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/gemini"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// valid replaces invalid UTF-8 (EV-3).
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// result is the outcome of one call as its own hook tells it.
func result(agent Agent, name string, t *tool) sessionevents.Block {
	b := t.block()
	if failed(name, t) {
		b.Output = loose.Text(t.Error)
		if b.Output == "" {
			b.Output = string(t.ErrorText)
		}
		b.Output, b.ExitCode = claudecode.ExitLine(b.Output)
		b.Rejected, _ = outcome.Default().Rejected(b.Output)
		b.Rejected = b.Rejected || bool(t.Interrupted) || t.Failure == "permission_denied"
		b.IsError = loose.Flag(!b.Rejected)
		return cleaned(b)
	}
	switch agent {
	case ClaudeCode:
		claudecode.Outcome(&b, t.Outcome)
	case Codex:
		codex.Outcome(&b, t.Outcome)
	case Gemini:
		gemini.Outcome(&b, t.Outcome)
	case Cursor:
		cursorOutcome(&b, t)
	}
	return cleaned(b)
}

// failed reports whether the hook says that the call failed.
func failed(name string, t *tool) bool {
	return strings.HasSuffix(name, "Failure") || loose.Text(t.Error) != "" || t.ErrorText != ""
}

// batched is an outcome as the list of its batch tells it: the text that the
// model gets, without a word on success.
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

func cursorOutcome(b *sessionevents.Block, t *tool) {
	raw := loose.Object(t.Output)
	if len(raw) == 0 {
		raw = loose.Object(t.Outcome)
	}
	codex.Outcome(b, raw)
}

func (t *tool) block() sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(t.ID), Name: string(t.Name), Input: loose.Object(t.Input)}
}

func cleaned(b sessionevents.Block) sessionevents.Block {
	b.Output, b.Input = valid(b.Output), events.ValidUTF8(b.Input)
	return b
}
