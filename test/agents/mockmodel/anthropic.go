package mockmodel

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
)

// Anthropic is the Messages protocol, as spoken by Claude Code and OpenCode.
type Anthropic struct {
	Shell string // the name of the tool that runs a command; "Bash" if empty
}

type messages struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	Tools    []json.RawMessage `json:"tools"`
	Messages []struct {
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
}

// mainTools is the least number of tools in a request of the main loop; requests that create titles or
// check quotas have none or few.
const mainTools = 4

func (a Anthropic) serve(w http.ResponseWriter, path string, body []byte, s *Server) {
	switch {
	case has(path, "count_tokens"):
		writeJSON(w, object{"input_tokens": 10})
		return
	case !has(path, "/v1/messages"):
		writeJSON(w, object{})
		return
	}
	var m messages
	if err := json.Unmarshal(body, &m); err != nil {
		s.refuse(w, path, err)
		return
	}
	step := Step{Say: "ok"}
	results := m.results()
	if len(m.Tools) >= mainTools {
		step = s.step(results, body)
	}
	if !m.Stream {
		writeJSON(w, object{
			"id": "msg_side", "type": "message", "role": "assistant", "model": m.Model, "stop_reason": "end_turn",
			"content": []object{{"type": "text", "text": step.Say}}, "usage": object{"input_tokens": 10, "output_tokens": 3},
		})
		return
	}
	m.reply(newStream(w), cmp.Or(a.Shell, "Bash"), results, step)
}

// results counts the tool results of the conversation.
func (m messages) results() int {
	n := 0
	for _, message := range m.Messages {
		var parts []struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(message.Content, &parts) != nil {
			continue // plain text
		}
		for _, p := range parts {
			if p.Type == "tool_result" {
				n++
			}
		}
	}
	return n
}

func (m messages) reply(out stream, shell string, results int, step Step) {
	out.send(object{"type": "message_start", "message": object{
		"id": fmt.Sprintf("msg_%d", results), "type": "message", "role": "assistant", "model": m.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{
			"input_tokens":  cmp.Or(step.Tokens, 10),
			"output_tokens": 1,
		},
	}})
	block := func(index int, start, delta object) {
		out.send(object{"type": "content_block_start", "index": index, "content_block": start})
		out.send(object{"type": "content_block_delta", "index": index, "delta": delta})
		out.send(object{"type": "content_block_stop", "index": index})
	}
	block(0, object{"type": "text", "text": ""}, object{"type": "text_delta", "text": step.Say})
	reason := "end_turn"
	call := func(tool string, input object) {
		reason = "tool_use"
		block(1, object{
			"type": "tool_use", "id": fmt.Sprintf("toolu_%s_%d", tool, results), "name": tool,
			"input": object{},
		},
			object{"type": "input_json_delta", "partial_json": text(input)})
	}
	switch {
	case step.Run != "":
		call(shell, object{"command": step.Run, "description": "work"})
	case step.Ask != "":
		call("task", object{"prompt": step.Ask, "description": "work", "subagent_type": "general"})
	}
	out.send(object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 5}})
	out.send(object{"type": "message_stop"})
}
