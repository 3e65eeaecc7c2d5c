package openhands

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/patch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// unheard observations are not results of calls.
var unheard = map[string]bool{"agent_state_changed": true, "null": true, "recall": true, "think": true, "system": true}

// observation adds the result of the action that it names as its cause.
func (d *decoder) observation(e *event) {
	kind := loose.Text(e.Observation)
	if kind == "agent_state_changed" && e.Extras.State == "error" {
		d.s.Fail(transcript.StopError, e.Timestamp.Time)
		d.ended = true
		return
	}
	if unheard[kind] || e.Cause == "" && kind != "error" {
		return
	}
	if e.Extras.Metadata.WorkingDir != "" {
		d.s.SetWorkspace(string(e.Extras.Metadata.WorkingDir))
	}
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(e.Cause), Output: string(e.Content)}
	code := e.Extras.Metadata.ExitCode
	if code == nil {
		code = e.Extras.ExitCode
	}
	if code != nil && *code >= 0 { // -1 is a command that still runs
		b.ExitCode = loose.Code(int(*code))
	}
	b.Rejected = kind == "user_rejected"
	failed := kind == "error" || e.Success != nil && !bool(*e.Success) || b.ExitCode != nil && *b.ExitCode != 0
	b.IsError = loose.Flag(failed && !b.Rejected)
	if hunks := patch.Hunks(string(e.Extras.Diff)); kind == "edit" && !failed && len(hunks) > 0 {
		b.Patch = []sessionevents.FilePatch{{Path: string(e.Extras.Path), Op: sessionevents.DiffUpdate, Hunks: hunks}}
	}
	d.s.Add(b)
	d.ended = true
}
