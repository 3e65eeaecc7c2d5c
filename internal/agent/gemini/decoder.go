package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// message is one message, or the first line of a JSONL chat.
type message struct {
	ID        loose.String `json:"id"`
	SessionID loose.String `json:"sessionId"`
	Timestamp loose.Time   `json:"timestamp"`
	TS        loose.Time   `json:"ts"`
	StartTime loose.Time   `json:"startTime"`
	Type      loose.String `json:"type"`
	Role      loose.String `json:"role"`
	Kind      loose.String `json:"kind"`
	Model     loose.String `json:"model"`
	Content   loose.Parts  `json:"content"`
	Parts     loose.Parts  `json:"parts"`
	Thoughts  []thought    `json:"thoughts"`
	ToolCalls []toolCall   `json:"toolCalls"`
	Tokens    *tokens      `json:"tokens"`
	RewindTo  loose.String `json:"$rewindTo"`
}

type thought struct {
	Subject     loose.String `json:"subject"`
	Description loose.String `json:"description"`
}

type toolCall struct {
	ID            loose.String    `json:"id"`
	Name          loose.String    `json:"name"`
	Args          json.RawMessage `json:"args"`
	Status        loose.String    `json:"status"`
	Result        json.RawMessage `json:"result"`
	ResultDisplay json.RawMessage `json:"resultDisplay"`
}

type tokens struct {
	Input  loose.Int `json:"input"`
	Output loose.Int `json:"output"`
	Cached loose.Int `json:"cached"`
}

func (t *tokens) events() *sessionevents.Usage {
	if t == nil {
		return nil
	}
	return &sessionevents.Usage{InputTokens: int64(t.Input), OutputTokens: int64(t.Output), CacheRead: int64(t.Cached)}
}

type decoder struct {
	speaker
}

func newDecoder(a *transcript.Assembler) *decoder {
	return &decoder{speaker{a.Main(), outcome.Default()}}
}

// Record reads a message or a member of the document.
func (d *decoder) Record(r record.Record) error {
	if r.Key != "" && r.Key != "messages" && r.Key != "history" {
		return d.member(r)
	}
	var m message
	if err := json.Unmarshal(r.Data, &m); err != nil {
		return fmt.Errorf("not a message: %w", err)
	}
	d.message(&m)
	return nil
}

// End has nothing to complete: every turn ends with its message.
func (d *decoder) End() {}

func (d *decoder) member(r record.Record) error {
	switch r.Key {
	case "sessionId":
		d.s.Name(loose.Text(r.Data))
	case "startTime", "start_time":
		var at loose.Time
		_ = at.UnmarshalJSON(r.Data)
		d.s.Saw(at.Time)
	case "meta":
		var meta struct {
			Model loose.String `json:"model"`
		}
		if err := json.Unmarshal(r.Data, &meta); err != nil {
			return fmt.Errorf("member meta: %w", err)
		}
		d.s.SetModel(string(meta.Model))
	}
	return nil
}

func (d *decoder) message(m *message) {
	at := m.Timestamp.Time
	if at.IsZero() {
		at = m.TS.Time
	}
	d.s.Saw(m.StartTime.Time)
	d.s.Saw(at)
	if m.SessionID != "" {
		d.s.Name(string(m.SessionID))
	}
	if m.RewindTo != "" {
		d.s.Fork(string(m.RewindTo))
	}
	parts := append(m.Content, m.Parts...)
	switch kind := string(m.Type + m.Role); kind {
	case "user":
		d.user(parts, at)
	case "gemini", "model", "assistant":
		if again := string(m.ID) != "" && string(m.ID) == d.s.Current(); again {
			d.s.Restart()
		}
		d.s.SetModel(string(m.Model))
		d.s.Begin(string(m.ID), at)
		d.response(m, parts)
	case "info":
		if strings.HasPrefix(parts.Text(), "Request cancelled") {
			d.s.Stop("interrupted")
		}
	}
}

func (d *decoder) response(m *message, parts loose.Parts) {
	for _, t := range m.Thoughts {
		d.s.Thinking(loose.Join(string(t.Subject), string(t.Description)))
	}
	d.model(parts)
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		d.call(string(c.ID), string(c.Name), c.Args)
	}
	for i := range m.ToolCalls {
		d.outcome(&m.ToolCalls[i])
	}
	d.s.Usage(m.Tokens.events())
}

// outcome adds the result of a call, if it has arrived.
func (d *decoder) outcome(c *toolCall) {
	r := result{ID: c.ID, Name: c.Name, Status: string(c.Status), Display: c.ResultDisplay}
	for _, p := range loose.ReadParts(c.Result) {
		if p.FunctionResponse != nil {
			r.Response = p.FunctionResponse.Response
			break
		}
	}
	if r.Response == nil && len(c.Result) > 0 {
		r.Response = c.Result
	}
	if r.Response == nil && r.Display == nil && r.Status == "" {
		return
	}
	d.result(r, d.s.Last())
}
