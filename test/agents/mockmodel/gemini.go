package mockmodel

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// Gemini is the generateContent protocol, as spoken by Gemini CLI.
type Gemini struct{}

type generate struct {
	Contents []struct {
		Parts []struct {
			FunctionResponse json.RawMessage `json:"functionResponse"`
		} `json:"parts"`
	} `json:"contents"`
	Tools json.RawMessage `json:"tools"`
}

const geminiShell = "run_shell_command"

func (Gemini) serve(w http.ResponseWriter, path string, body []byte, s *Server) {
	if !has(path, "enerateContent") {
		writeJSON(w, object{"totalTokens": 10})
		return
	}
	var g generate
	if err := json.Unmarshal(body, &g); err != nil {
		s.refuse(w, path, err)
		return
	}
	results := 0
	for _, c := range g.Contents {
		for _, p := range c.Parts {
			if len(p.FunctionResponse) > 0 {
				results++
			}
		}
	}
	step := Step{Say: "ok"}
	if bytes.Contains(g.Tools, []byte(geminiShell)) {
		step = s.step(results, body)
	}
	parts := []object{{"text": step.Say}}
	if step.Run != "" {
		parts = append(parts, object{"functionCall": object{"name": geminiShell, "args": object{"command": step.Run}}})
	}
	reply := object{
		"candidates":    []object{{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
	}
	if has(path, "stream") {
		newStream(w).send(reply)
		return
	}
	writeJSON(w, reply)
}
