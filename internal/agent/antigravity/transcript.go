package antigravity

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Transcript recognises and reads Antigravity's step logs.
var Transcript = transcript.Format{
	Name: Name, Title: "Antigravity steps (JSONL)",
	Signs:     "`step_index`, `source`, `type`, `status`",
	Limits:    `calls have no ids: results join them in order`,
	Recognise: func(h transcript.Head) int { return transcript.Best(h, confidence) },
	Decode: func(a *transcript.Assembler) transcript.Decoder {
		return &decoder{s: a.Main(), phrases: outcome.Default()}
	},
}

func confidence(p record.Probe) int {
	if p.Has("step_index", "source", "type", "status") {
		return 90
	}
	return 0
}

type line struct {
	Step      loose.String `json:"step_index"`
	Source    loose.String `json:"source"`
	Type      loose.String `json:"type"`
	Status    loose.String `json:"status"`
	CreatedAt loose.Time   `json:"created_at"`
	Content   loose.String `json:"content"`
	Thinking  loose.String `json:"thinking"`
	ToolCalls []struct {
		Name loose.String               `json:"name"`
		Args map[string]json.RawMessage `json:"args"`
	} `json:"tool_calls"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	calls   int      // number of calls so far, which serves as their id
	waiting []string // ids of calls without result
}

// Record reads one step.
func (d *decoder) Record(r record.Record) error {
	var l line
	if err := json.Unmarshal(r.Data, &l); err != nil {
		return fmt.Errorf("not a step: %w", err)
	}
	d.s.Saw(l.CreatedAt.Time)
	switch {
	case l.Type == "USER_INPUT":
		d.s.User(d.phrases.UserText(string(l.Content)), l.CreatedAt.Time)
	case l.Type == "CHECKPOINT":
		d.s.Compacted()
	case l.Source != "MODEL":
	case l.Type == "PLANNER_RESPONSE":
		d.response(&l)
	default:
		d.result(&l)
	}
	return nil
}

// End has nothing to complete: every turn ends with its last step.
func (d *decoder) End() {}

func (d *decoder) response(l *line) {
	d.s.Begin("step-"+string(l.Step), l.CreatedAt.Time)
	d.waiting = nil
	d.s.Thinking(string(l.Thinking))
	d.s.Text(string(l.Content))
	for _, call := range l.ToolCalls {
		args := map[string]json.RawMessage{}
		for name, value := range call.Args {
			args[name] = loose.Nested(value)
		}
		input, err := json.Marshal(args)
		if err != nil {
			input = nil
		}
		d.waiting = append(d.waiting, d.call(string(call.Name), input))
	}
}

func (d *decoder) call(name string, input json.RawMessage) string {
	d.calls++
	id := fmt.Sprintf("call-%d", d.calls)
	d.s.Call(id, name, input)
	return id
}

var fileAddress = pattern.Must(`file://(/[^\s` + "`" + `"')]+)`)

// changedFile returns the input of a change of which only the result is recorded.
func changedFile(l *line) json.RawMessage {
	if l.Type != "CODE_ACTION" {
		return nil
	}
	m := fileAddress.FindStringSubmatch(string(l.Content))
	if m == nil {
		return nil
	}
	input, err := json.Marshal(map[string]string{"path": m[1]})
	if err != nil {
		return nil
	}
	return input
}

// result assigns a step to the first pending call; a step without one becomes a call of its own, named by
// its type.
func (d *decoder) result(l *line) {
	id := ""
	if len(d.waiting) > 0 {
		id, d.waiting = d.waiting[0], d.waiting[1:]
	} else {
		id = d.call(strings.ToLower(string(l.Type)), changedFile(l))
	}
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: id, Output: string(l.Content)}
	b.ExitCode = outcome.CodeAfter(outcome.Beginning(b.Output, 120), "command failed with exit code")
	b.IsError = loose.Flag(l.Status == "ERROR" || b.ExitCode != nil && *b.ExitCode != 0)
	d.s.Add(b)
}
