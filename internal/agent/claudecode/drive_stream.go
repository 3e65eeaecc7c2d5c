package claudecode

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"
)

// streamLine holds the fields of a line of any type.
type streamLine struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Status      string          `json:"status"`
	SessionID   string          `json:"session_id"`
	UUID        string          `json:"uuid"`
	Parent      string          `json:"parent_tool_use_id"`
	Replay      bool            `json:"isReplay"`
	CommandUUID string          `json:"command_uuid"`
	State       string          `json:"state"`
	RequestID   string          `json:"request_id"`
	IsError     bool            `json:"is_error"`
	Result      string          `json:"result"`
	TotalCost   float64         `json:"total_cost_usd"`
	Event       json.RawMessage `json:"event"`
	Message     json.RawMessage `json:"message"`
}

// asTranscript renames the members that session files spell differently.
func asTranscript(data []byte, l *streamLine) ([]byte, error) {
	var all members
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	all["sessionId"] = all["session_id"]
	if result, ok := all["tool_use_result"]; ok {
		all["toolUseResult"] = result
	}
	if l.Parent != "" { // a subagent, identified by the call that started it
		all["agentId"], all["isSidechain"] = all["parent_tool_use_id"], json.RawMessage("true")
	}
	if _, dated := all["timestamp"]; !dated {
		all["timestamp"] = json.RawMessage(strconv.Quote(time.Now().UTC().Format(time.RFC3339Nano)))
	}
	return json.Marshal(all)
}

// streamEvent is an event of the API's stream.
type streamEvent struct {
	Type    string `json:"type"`
	Message struct {
		ID    string  `json:"id"`
		Model string  `json:"model"`
		Usage members `json:"usage"`
	} `json:"message"`
	Delta struct {
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage members `json:"usage"`
}

// stream follows the beginning and end of responses, and reads their tokens: the lines of the conversation
// have only the initial counts.
func (r *reader) stream(ctx context.Context, l *streamLine) error {
	var e streamEvent
	if err := json.Unmarshal(l.Event, &e); err != nil {
		return fmt.Errorf("not an event of the stream: %w", err)
	}
	switch e.Type {
	case "message_start":
		r.partial[l.Parent] = &e
		r.driver.goesOn()
	case "message_delta":
		return r.tokens(ctx, l, &e)
	case "message_stop":
		delete(r.partial, l.Parent)
	}
	return nil
}

// tokens records the usage of the whole response, as a session file does in its last line.
func (r *reader) tokens(ctx context.Context, l *streamLine, e *streamEvent) error {
	begun := r.partial[l.Parent]
	if begun == nil || len(e.Usage) == 0 {
		return nil
	}
	usage := members{}
	maps.Copy(usage, begun.Message.Usage)
	maps.Copy(usage, e.Usage)
	last := map[string]any{"type": "assistant", "session_id": l.SessionID, "message": map[string]any{
		"id": begun.Message.ID, "model": begun.Message.Model, "content": []any{}, "usage": usage, "stop_reason": e.Delta.StopReason,
	}}
	if l.Parent != "" {
		last["parent_tool_use_id"] = l.Parent
	}
	data, err := json.Marshal(last)
	if err != nil {
		return err
	}
	return r.feed(ctx, data, l)
}
