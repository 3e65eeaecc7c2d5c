package miniswe

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

type message struct {
	Role       loose.String `json:"role"`
	Content    loose.Parts  `json:"content"`
	Reasoning  loose.String `json:"reasoning_content"`
	ToolCallID loose.String `json:"tool_call_id"`
	ToolCalls  []toolCall   `json:"tool_calls"`
	Extra      extra        `json:"extra"`
	Timestamp  loose.Time   `json:"timestamp"`
}

type toolCall struct {
	ID       loose.String `json:"id"`
	Function struct {
		Name      loose.String    `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type extra struct {
	Timestamp  loose.Time      `json:"timestamp"`
	RawOutput  *string         `json:"raw_output"`
	ReturnCode *loose.Int      `json:"returncode"`
	Exception  loose.String    `json:"exception_info"`
	ExitStatus loose.String    `json:"exit_status"`
	Response   json.RawMessage `json:"response"`
}

type info struct {
	Config struct {
		Model struct {
			Name loose.String `json:"model_name"`
		} `json:"model"`
		Environment struct {
			CWD loose.String `json:"cwd"`
		} `json:"environment"`
	} `json:"config"`
}

type decoder struct {
	s       *transcript.Session
	phrases *outcome.Phrases
	turns   int
	open    []string // ids of the calls without a result
}

// Record reads a message or a member of the document.
func (d *decoder) Record(r record.Record) error {
	if r.Key == "info" {
		return d.info(r.Data)
	}
	if r.Key == "instance_id" {
		return nil // it follows the turns, which have their session by then
	}
	var m message
	if err := json.Unmarshal(r.Data, &m); err != nil {
		return fmt.Errorf("not a message: %w", err)
	}
	if m.Extra.Timestamp.IsZero() {
		m.Extra.Timestamp = m.Timestamp
	}
	d.s.Saw(m.Extra.Timestamp.Time)
	switch m.Role {
	case "assistant":
		d.response(&m)
	case "tool":
		d.result(&m)
	case "user":
		d.user(&m)
	case "exit":
		d.s.Stop(string(m.Extra.ExitStatus))
	}
	return nil
}

// End has nothing to complete: every turn ends with its last message.
func (d *decoder) End() {}

func (d *decoder) info(data []byte) error {
	var i info
	if err := json.Unmarshal(data, &i); err != nil {
		return fmt.Errorf("member info: %w", err)
	}
	d.s.SetModel(string(i.Config.Model.Name))
	d.s.SetWorkspace(string(i.Config.Environment.CWD))
	return nil
}

func (d *decoder) response(m *message) {
	d.turns++
	d.open = nil
	d.s.Begin("", m.Extra.Timestamp.Time)
	d.s.Thinking(string(m.Reasoning))
	text := m.Content.Text()
	if len(m.ToolCalls) > 0 {
		d.s.Text(text)
		for _, c := range m.ToolCalls {
			d.call(string(c.ID), string(c.Function.Name), loose.Object(c.Function.Arguments))
		}
	} else {
		d.fenced(text)
	}
	d.usage(m.Extra.Response)
}

// fence matches the block that contains the command in the text form.
var fence = pattern.Must("(?s)```(?:mswea_bash_command|bash|sh)[ \t]*\n(.*?)\n?```")

// fenced reads a response whose command is a fenced block: the block is the call.
func (d *decoder) fenced(text string) {
	at := fence.FindStringSubmatchIndex(text)
	if at == nil {
		d.s.Text(text)
		return
	}
	d.s.Text(strings.TrimSpace(text[:at[0]]))
	input, err := json.Marshal(map[string]string{"command": text[at[2]:at[3]]})
	if err == nil {
		d.call(fmt.Sprintf("call-%d", d.turns), "bash", input)
	}
	d.s.Text(strings.TrimSpace(text[at[1]:]))
}

func (d *decoder) call(id, name string, input json.RawMessage) {
	d.open = append(d.open, id)
	d.s.Call(id, name, input)
}

// user reads the task, or, in the text form, the result of the command. The harness's answer to a response
// without a command is not attributed to anybody.
func (d *decoder) user(m *message) {
	text := m.Content.Text()
	switch {
	case strings.Contains(outcome.Beginning(text, 200), "<returncode>") || m.Extra.ReturnCode != nil:
		d.result(m)
	case d.turns == 0 || len(d.open) > 0:
		d.s.User(d.phrases.UserText(text), m.Extra.Timestamp.Time)
	}
}

func (d *decoder) result(m *message) {
	b := sessionevents.Block{Type: sessionevents.BlockToolResult, ID: string(m.ToolCallID)}
	if b.ID == "" && len(d.open) > 0 {
		b.ID = d.open[0]
	}
	for i, id := range d.open {
		if id == b.ID {
			d.open = append(d.open[:i:i], d.open[i+1:]...)
			break
		}
	}
	b.Output, b.ExitCode = output(m.Content.Text())
	if m.Extra.RawOutput != nil {
		b.Output = *m.Extra.RawOutput
	}
	if m.Extra.Exception != "" {
		b.Output = loose.Join(b.Output, string(m.Extra.Exception))
	}
	if m.Extra.ReturnCode != nil {
		b.ExitCode = loose.Code(int(*m.Extra.ReturnCode))
	}
	b.IsError = loose.Flag(b.ExitCode != nil && *b.ExitCode != 0)
	d.s.Add(b)
}

// output parses <returncode>0</returncode> and the content of <output>.
func output(text string) (string, *int) {
	exit := outcome.CodeAfter(outcome.Beginning(text, 200), "<returncode>")
	_, body, ok := strings.Cut(text, "<output>\n")
	if !ok {
		if _, body, ok = strings.Cut(text, "<output>"); !ok {
			return text, exit
		}
	}
	if end := strings.LastIndex(body, "</output>"); end >= 0 {
		body = body[:end]
	}
	return body, exit
}

func (d *decoder) usage(response json.RawMessage) {
	var r struct {
		Usage struct {
			Input  loose.Int `json:"prompt_tokens"`
			Output loose.Int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if len(response) > 0 && json.Unmarshal(response, &r) == nil {
		d.s.Usage(&sessionevents.Usage{InputTokens: int64(r.Usage.Input), OutputTokens: int64(r.Usage.Output)})
	}
}
