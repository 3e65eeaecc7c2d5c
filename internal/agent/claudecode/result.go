package claudecode

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// toolUseResult is what the harness knows about a result in addition to its text; plain text or a list
// there repeats the result and is ignored.
type toolUseResult struct {
	Type            loose.String    `json:"type"` // for Write: create, update
	FilePath        loose.String    `json:"filePath"`
	Content         json.RawMessage `json:"content"`
	StructuredPatch []hunk          `json:"structuredPatch"`
	Stdout          present         `json:"stdout"`
	Interrupted     loose.Bool      `json:"interrupted"`
}

// present records that a member exists without parsing it.
type present bool

// UnmarshalJSON notes that it was called.
func (p *present) UnmarshalJSON([]byte) error {
	*p = true
	return nil
}

type hunk struct {
	OldStart loose.Int `json:"oldStart"`
	NewStart loose.Int `json:"newStart"`
	Lines    []string  `json:"lines"`
}

// result adds one tool result with its edit and its outcome.
func (d *decoder) result(s *transcript.Session, l *line, p *loose.Part, at time.Time) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(p.ToolUseID), Output: loose.Text(p.Content)}
	if b.Output == "" {
		b.Output = p.Text
	}
	failed := p.IsError != nil && bool(*p.IsError)
	reply := ""
	if failed || l.ToolDenialKind != "" {
		b.Rejected, reply = d.phrases.Rejected(b.Output)
		b.Rejected = b.Rejected || strings.HasPrefix(string(l.ToolDenialKind), "user")
	}
	extra := &l.ToolUseResult
	switch {
	case b.Rejected:
		b.IsError = loose.Flag(false) // a refusal is not an error (SW-3)
	case failed:
		b.IsError = loose.Flag(true)
		b.Output, b.ExitCode = outcome.ExitLine(b.Output)
	default:
		b.IsError = loose.Flag(false)
		b.Patch = extra.patch()
		if bool(extra.Stdout) && !bool(extra.Interrupted) {
			b.ExitCode = loose.Code(0)
		}
	}
	s.Add(b)
	s.User(reply, at)
}

// patch returns the edit that was applied, with its real line numbers.
func (r *toolUseResult) patch() []sessionevents.FilePatch {
	path := string(r.FilePath)
	switch {
	case path == "":
		return nil
	case len(r.StructuredPatch) > 0:
		file := sessionevents.FilePatch{Path: path, Op: sessionevents.DiffUpdate}
		for _, h := range r.StructuredPatch {
			file.Hunks = append(file.Hunks, sessionevents.Hunk{OldStart: int(h.OldStart), NewStart: int(h.NewStart), Lines: h.Lines})
		}
		return []sessionevents.FilePatch{file}
	case r.Type == "create":
		return []sessionevents.FilePatch{patch.Created(path, loose.Text(r.Content))}
	}
	return nil
}
