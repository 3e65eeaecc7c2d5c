package codex

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/toolscript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// unwrap returns the calls inside the script that the tool exec runs (since 0.144). All commands together
// make one call, which comes first; each other call is separate. The first has the script's id and
// therefore its result.
func unwrap(id, script string) []sessionevents.Block {
	var commands []string
	var out []sessionevents.Block
	for _, call := range toolscript.Calls(script) {
		switch call.Name {
		case "exec_command", "shell":
			if call.Text != "" {
				commands = append(commands, call.Text)
			}
		case "apply_patch":
			out = append(out, toolCall("apply_patch", input("input", call.Text)))
		default:
			out = append(out, toolCall(call.Name, arguments(call)))
		}
	}
	foundPatches(out, script)
	if len(commands) > 0 {
		all := toolCall("exec_command", input("cmd", strings.Join(commands, "\n")))
		out = append([]sessionevents.Block{all}, out...)
	}
	for n := range out {
		out[n].ID = part(id, n)
	}
	return out
}

// part returns the id of the nth call of a script, from 0.
func part(id string, n int) string {
	if n == 0 {
		return id
	}
	return id + "#" + strconv.Itoa(n+1)
}

func toolCall(name string, arguments json.RawMessage) sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockToolCall, Name: name, Input: arguments}
}

func arguments(call toolscript.Call) json.RawMessage {
	if call.Fields == nil {
		return input("input", call.Text)
	}
	b, err := json.Marshal(call.Fields)
	if err != nil {
		return nil
	}
	return b
}

// foundPatches assigns the patches that the script contains to the calls whose argument is computed.
func foundPatches(calls []sessionevents.Block, script string) {
	unknown := string(input("input", ""))
	var left []string
	for n := range calls {
		if calls[n].Name != "apply_patch" || string(calls[n].Input) != unknown {
			continue
		}
		if left == nil {
			left = toolscript.Literals(script, patchMark)
		}
		if len(left) == 0 {
			return
		}
		calls[n].Input, left = input("input", left[0]), left[1:]
	}
}

// script is a call of exec whose calls were unwrapped. Its patches are reported, in order, by events with
// ids of their own.
type script struct {
	calls   []sessionevents.Block
	reports []report
}

// report is what patch_apply_end reports about one patch.
type report struct {
	files  []sessionevents.FilePatch
	failed bool
}

// reported records the outcome of a patch whose event names no call: it belongs to the latest script or, if
// none is open, is a call of its own.
func (d *decoder) reported(id string, r report) {
	if s := d.scripts[d.script]; s != nil {
		s.reports = append(s.reports, r)
		return
	}
	d.s.Add(sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: "apply_patch"})
	d.s.Add(r.block(id))
}

func (r report) block(id string) sessionevents.Block {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, IsError: loose.Flag(r.failed)}
	if !r.failed {
		b.Patch = r.files
	}
	return b
}

// finish adds the results of the calls inside a script; first is the script's own result, which belongs to
// its first call. A patch without a report was applied unless the script failed; a report without a call is
// from a call in a loop.
func (d *decoder) finish(s *script, first sessionevents.Block) {
	failed := first.IsError != nil && *first.IsError
	first.Patch = nil
	for n := range s.calls {
		result := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: s.calls[n].ID}
		switch {
		case s.calls[n].Name != "apply_patch":
		case len(s.reports) > 0:
			result, s.reports = s.reports[0].block(result.ID), s.reports[1:]
		case failed || first.Rejected:
			result.IsError, result.Rejected = loose.Flag(!first.Rejected), first.Rejected
		}
		if n == 0 {
			result.Output, result.ExitCode, result.Rejected = first.Output, first.ExitCode, first.Rejected
			if s.calls[0].Name != "apply_patch" || result.IsError == nil {
				result.IsError = first.IsError
			}
		}
		if n == 0 || result.IsError != nil || result.Rejected || len(result.Patch) > 0 {
			d.s.Add(result)
		}
	}
	for n, r := range s.reports {
		id := part(first.ID, len(s.calls)+n)
		d.s.Add(sessionevents.Block{Type: sessionevents.BlockToolCall, ID: id, Name: "apply_patch"})
		d.s.Add(r.block(id))
	}
}
