package loose

import (
	"encoding/json"
	"errors"
	"strings"
)

// Part is one element of a list of content, in any of the dialects: Anthropic blocks, OpenAI parts, Gemini
// parts, and what agents derived from them.
type Part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	Think    string `json:"think"`
	Thought  Bool   `json:"thought"` // Gemini: the part's text is reasoning

	// A tool call.
	ID           String          `json:"id"`
	CallID       String          `json:"call_id"`
	CallIDCamel  String          `json:"callId"`
	Name         String          `json:"name"`
	Input        json.RawMessage `json:"input"`
	Args         json.RawMessage `json:"args"`
	Arguments    json.RawMessage `json:"arguments"`
	FunctionCall *Part           `json:"functionCall"`

	// A tool result.
	ToolUseID        String          `json:"tool_use_id"`
	ToolCallID       String          `json:"tool_call_id"`
	Content          json.RawMessage `json:"content"`
	Output           json.RawMessage `json:"output"`
	IsError          *Bool           `json:"is_error"`
	FunctionResponse *Part           `json:"functionResponse"`
	Response         json.RawMessage `json:"response"`
}

// Parts is a list of parts; a string is decoded as one text part, an object as one part, and strings inside
// a list as text parts.
type Parts []Part

// UnmarshalJSON decodes a string, an object, a list or null.
func (p *Parts) UnmarshalJSON(b []byte) error {
	*p = ReadParts(b)
	return nil
}

// ReadParts decodes the parts of a JSON value.
func ReadParts(b []byte) Parts {
	switch first(b) {
	case '"':
		return Parts{{Type: "text", Text: string(readString(b))}}
	case '{':
		var one Part
		if err := json.Unmarshal(b, &one); err != nil && !Mismatch(err) {
			return nil
		}
		return Parts{one}
	case '[':
		return readList(b)
	}
	return nil
}

func readList(b []byte) Parts {
	var all []Part
	if json.Unmarshal(b, &all) == nil {
		return all
	}
	var each []json.RawMessage // strings or damage among the parts
	if json.Unmarshal(b, &each) != nil {
		return nil
	}
	all = all[:0]
	for _, raw := range each {
		if c := first(raw); c == '"' || c == '{' {
			all = append(all, ReadParts(raw)...)
		}
	}
	return all
}

// Text returns all text of the parts, joined by line breaks.
func (p Parts) Text() string {
	texts := make([]string, 0, len(p))
	for i := range p {
		if t := p[i].Text; t != "" {
			texts = append(texts, t)
		} else if len(p[i].Content) > 0 {
			texts = append(texts, Text(p[i].Content))
		}
	}
	return strings.Join(texts, "\n")
}

// Text returns the text of a JSON value: a string itself, the text of a list of parts, an object's
// well-known text member, or else the JSON.
func Text(b []byte) string {
	switch first(b) {
	case '"':
		return string(readString(b))
	case '[':
		if text := ReadParts(b).Text(); text != "" {
			return text
		}
		if strings.TrimSpace(string(b)) == "[]" {
			return ""
		}
		return string(b)
	case '{':
		return objectText(b)
	case 0, 'n':
		return ""
	}
	return string(b)
}

// textMembers are the members of an object that may hold its text; the first that has text counts.
var textMembers = []string{"text", "output", "content", "stdout", "message", "llmContent", "error"}

func objectText(b []byte) string {
	var o map[string]json.RawMessage
	if json.Unmarshal(b, &o) != nil {
		return ""
	}
	for _, name := range textMembers {
		v := o[name]
		if c := first(v); c != '"' && c != '[' && c != '{' {
			continue
		}
		text := Text(v)
		if name == "stdout" {
			text = Join(text, Text(o["stderr"]))
		}
		if text != "" {
			return text
		}
	}
	if _, silent := o["stdout"]; silent || len(o) == 0 {
		return Text(o["stderr"])
	}
	return string(b)
}

// Mismatch reports whether an error of json.Unmarshal only means that a member had another type than
// expected: all other members are decoded all the same.
func Mismatch(err error) bool {
	var mismatch *json.UnmarshalTypeError
	return errors.As(err, &mismatch) && mismatch.Field != ""
}

// Join joins two texts with a line break, leaving out empty ones.
func Join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimSuffix(a, "\n") + "\n" + b
}

// first returns the first byte of a value that is not white space, 0 if there is none.
func first(b []byte) byte {
	for _, c := range b {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
	}
	return 0
}
