package gemini

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Outcome fills in the result of a call as hooks tell it: what the model gets,
// what the person sees, and an error.
func Outcome(b *sessionevents.Block, raw json.RawMessage) {
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
