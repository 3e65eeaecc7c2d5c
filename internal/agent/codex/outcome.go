package codex

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Outcome fills in the result of a call as hooks tell it. Codex has no error
// flag: the exit code tells.
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
