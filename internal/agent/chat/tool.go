package chat

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// called adds a call on a line of its own.
func (d *decoder) called(l *line) {
	d.thought = false
	f := l.Function
	if f == nil {
		f = &function{}
	}
	id := either(l.CallID, l.CallID2, l.CallID3, l.CallID4, l.ID)
	d.call(id, either(l.ToolName, l.ToolName2, l.Name, f.Name), value(l.Arguments, l.Input, l.Parameters, f.Arguments))
}

// backend adds a call that the model's service made itself; it has no result.
func (d *decoder) backend(l *line) {
	var k struct {
		Tool   loose.String    `json:"tool_type"`
		Action json.RawMessage `json:"action"`
		ID     loose.String    `json:"id"`
	}
	if json.Unmarshal(l.Kind, &k) == nil && k.Tool != "" {
		d.s.Call(string(k.ID), string(k.Tool), loose.Object(k.Action))
	}
}

// call adds a call. Calls without an id are numbered, and their results arrive in order.
func (d *decoder) call(id, name string, input json.RawMessage) {
	d.calls++
	if id == "" {
		id = fmt.Sprintf("call-%d", d.calls)
	}
	d.waiting = append(d.waiting, id)
	d.s.Call(id, name, loose.Object(input))
}

// result adds a result on a line of its own.
func (d *decoder) result(l *line) {
	raw := value(l.Result, l.Output, l.Value)
	b := sessionevents.Block{ID: either(l.CallID, l.CallID2, l.CallID3, l.CallID4), Output: loose.Text(raw)}
	if b.ID == "" && slices.Contains(d.waiting, string(l.ID)) {
		b.ID = string(l.ID)
	}
	if raw == nil {
		b.Output = loose.Join(string(l.Text), l.Content.Text())
	}
	var codes struct {
		Exit  *loose.Int `json:"exitCode"`
		Exit2 *loose.Int `json:"exit_code"`
	}
	if len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &codes) == nil {
		if codes.Exit == nil {
			codes.Exit = codes.Exit2
		}
		if codes.Exit != nil {
			b.ExitCode = loose.Code(int(*codes.Exit))
		}
	}
	failed := l.IsError
	if failed == nil {
		failed = l.IsError2
	}
	if failed == nil && l.Stop3 == "error" {
		yes := loose.Bool(true)
		failed = &yes
	}
	d.settle(b, failed)
}

// settle adds a result; one without an id belongs to the first pending call.
func (d *decoder) settle(b sessionevents.Block, failed *loose.Bool) {
	b.Type = sessionevents.BlockToolResult
	if b.ID == "" && len(d.waiting) > 0 {
		b.ID = d.waiting[0]
	}
	known := slices.Index(d.waiting, b.ID)
	if known < 0 && len(d.waiting) == 1 {
		// Some writers give results ids of their own: a single call and a single result belong together.
		b.ID, known = d.waiting[0], 0
	}
	if known >= 0 {
		d.waiting = slices.Delete(d.waiting, known, known+1)
	}
	if b.ExitCode == nil {
		b.ExitCode = outcome.CodeAfter(outcome.Beginning(b.Output, 60), "(exit code:")
	}
	if refused, reply := d.phrases.Rejected(b.Output); refused && failed != nil && bool(*failed) {
		b.Rejected = true
		defer d.s.User(reply, d.s.Last())
	}
	if failed != nil || b.ExitCode != nil {
		b.IsError = loose.Flag(!b.Rejected && (failed != nil && bool(*failed) || b.ExitCode != nil && *b.ExitCode != 0))
	}
	d.s.Add(b)
	d.ended, d.thought = true, false
}
