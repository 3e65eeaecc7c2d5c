package gemini

import (
	"encoding/json"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/outcome"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/transcript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// qwenLine is one line of a Qwen Code session: an envelope like Claude Code's around messages like
// Gemini's. Lines of one response share their uuid.
type qwenLine struct {
	Type      loose.String `json:"type"`
	Subtype   loose.String `json:"subtype"`
	UUID      loose.String `json:"uuid"`
	SessionID loose.String `json:"sessionId"`
	Timestamp loose.Time   `json:"timestamp"`
	CWD       loose.String `json:"cwd"`
	Model     loose.String `json:"model"`
	Message   struct {
		Parts loose.Parts `json:"parts"`
	} `json:"message"`
	ToolCallResult struct {
		CallID  loose.String    `json:"callId"`
		Status  loose.String    `json:"status"`
		Display json.RawMessage `json:"resultDisplay"`
	} `json:"toolCallResult"`
	Usage   *qwenUsage `json:"usageMetadata"`
	Payload struct {
		Target loose.String `json:"targetUuid"`
	} `json:"systemPayload"`
}

type qwenUsage struct {
	Prompt loose.Int `json:"promptTokenCount"`
	Output loose.Int `json:"candidatesTokenCount"`
	Cached loose.Int `json:"cachedContentTokenCount"`
}

type qwenDecoder struct {
	a       *transcript.Assembler
	phrases *outcome.Phrases
}

func newQwenDecoder(a *transcript.Assembler) *qwenDecoder {
	return &qwenDecoder{a, outcome.Default()}
}

// Record reads one line.
func (d *qwenDecoder) Record(r record.Record) error {
	var l qwenLine
	if err := json.Unmarshal(r.Data, &l); err != nil {
		return fmt.Errorf("not a line of a session: %w", err)
	}
	s := d.a.Session(string(l.SessionID))
	s.Saw(l.Timestamp.Time)
	s.SetWorkspace(string(l.CWD))
	k := speaker{s, d.phrases}
	switch l.Type {
	case "user":
		if l.Subtype == "" || l.Subtype == "mid_turn_user_message" {
			k.user(l.Message.Parts, l.Timestamp.Time)
		}
	case "assistant":
		s.SetModel(string(l.Model))
		s.Begin(string(l.UUID), l.Timestamp.Time)
		k.model(l.Message.Parts)
		if u := l.Usage; u != nil {
			s.Usage(&sessionevents.Usage{InputTokens: int64(u.Prompt), OutputTokens: int64(u.Output), CacheRead: int64(u.Cached)})
		}
	case "tool_result":
		d.results(k, &l)
	case "system":
		d.system(s, &l)
	}
	return nil
}

// End has nothing to complete: every turn ends with its last line.
func (d *qwenDecoder) End() {}

func (d *qwenDecoder) results(k speaker, l *qwenLine) {
	for i := range l.Message.Parts {
		p := l.Message.Parts[i].FunctionResponse
		if p == nil {
			continue
		}
		r := result{ID: p.ID, Name: p.Name, Response: p.Response}
		if l.ToolCallResult.CallID == p.ID || len(l.Message.Parts) == 1 {
			r.Status, r.Display = string(l.ToolCallResult.Status), l.ToolCallResult.Display
		}
		k.result(r, l.Timestamp.Time)
	}
}

func (d *qwenDecoder) system(s *transcript.Session, l *qwenLine) {
	switch l.Subtype {
	case "rewind":
		s.Fork(string(l.Payload.Target))
	case "chat_compression":
		s.Compacted()
	}
}
