package mockmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// OpenAI is the Responses protocol, as spoken by Codex.
type OpenAI struct{}

type responses struct {
	Input []struct {
		Type string `json:"type"`
	} `json:"input"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

func (OpenAI) serve(w http.ResponseWriter, path string, body []byte, s *Server) {
	if !has(path, "/responses") {
		writeJSON(w, object{"data": []any{}, "models": []any{}})
		return
	}
	var r responses
	if err := json.Unmarshal(body, &r); err != nil {
		s.refuse(w, path, err)
		return
	}
	results := 0
	for _, item := range r.Input {
		if item.Type == "function_call_output" || item.Type == "custom_tool_call_output" {
			results++
		}
	}
	step := s.step(results, body)
	id := fmt.Sprintf("resp_%d", len(s.Requests()))
	out := newStream(w)
	out.send(object{"type": "response.created", "response": object{"id": id}})
	out.send(object{"type": "response.output_item.done", "item": object{
		"type": "message", "role": "assistant", "id": "m_" + id, "content": []object{{"type": "output_text", "text": step.Say}},
	}})
	if name, arguments := r.shell(step.Run); step.Run != "" && name != "" {
		out.send(object{"type": "response.output_item.done", "item": object{
			"type": "function_call", "call_id": "call_" + id, "name": name, "arguments": text(arguments),
		}})
	}
	out.send(object{"type": "response.completed", "response": object{"id": id, "usage": object{
		"input_tokens": 10, "input_tokens_details": nil, "output_tokens": 5, "output_tokens_details": nil, "total_tokens": 15,
	}}})
}

// shell returns the name of the tool that runs a command, and its arguments.
func (r responses) shell(command string) (string, object) {
	for _, t := range r.Tools {
		switch t.Name {
		case "exec_command":
			return t.Name, object{"cmd": command}
		case "shell_command":
			return t.Name, object{"command": command}
		case "shell":
			return t.Name, object{"command": []string{"bash", "-lc", command}}
		}
	}
	return "", nil
}
