package claudecode

import (
	"encoding/json"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Outcome fills in the result of a call that succeeded from what the harness
// knows about it, as its hooks tell it and as toolUseResult in transcripts.
func Outcome(b *sessionevents.Block, raw json.RawMessage) {
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

// ExitLine reads and takes off the first line "Exit code 1" of a failed command.
func ExitLine(output string) (string, *int) { return exitLine(output) }
