package opinion

import (
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Schema returns the JSON Schema of the answer to a question, in the subset that
// providers enforce.
func Schema(kind sessionevents.QuestionKind) map[string]any {
	text := map[string]any{"type": "string"}
	one := func(values ...string) map[string]any { return map[string]any{"type": "string", "enum": values} }
	object := func(properties map[string]any, required ...string) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	}
	if kind == sessionevents.QuestionDigest {
		finding := object(map[string]any{
			"class": one("A", "C", "D", "E"), "subject": text, "turn": map[string]any{"type": "integer"}, "quote": text, "say": text,
		}, "class", "subject", "turn", "quote", "say")
		return object(map[string]any{"findings": map[string]any{"type": "array", "items": finding}}, "findings")
	}
	return object(map[string]any{
		"verdict": one("confirmed", "refuted", "unsure"), "worth_saying": one("yes", "no"), "why": text,
		"quotes": map[string]any{"type": "array", "items": text},
	}, "verdict", "worth_saying", "why", "quotes")
}
