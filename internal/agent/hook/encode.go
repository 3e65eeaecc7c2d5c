package hook

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Reply is what is to be said to an agent. The zero value says nothing.
type Reply struct {
	Context string // a text for the model
	Deny    string // why the tool that is about to run must not
	Halt    string // why the agent must stop
}

// maxText is the most characters that an agent takes of one text.
const maxText = 10_000

// Encode writes a reply in the agent's own JSON, as far as the agent can be told
// at this event: `{}` where it cannot. Takes says beforehand what it can.
func Encode(e *Event, r Reply) ([]byte, error) {
	var out any = struct{}{}
	if writer := writers[e.Agent]; writer != nil {
		if reply := writer(e, Reply{Context: short(r.Context), Deny: short(r.Deny), Halt: short(r.Halt)}); reply != nil {
			out = reply
		}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode the reply to %s: %w", e.Name, err)
	}
	return data, nil
}

// Takes reports whether a text for the model can be said at the event.
func Takes(e *Event) bool {
	writer := writers[e.Agent]
	return writer != nil && writer(e, Reply{Context: "?"}) != nil
}

// writers give the reply of an agent to an event, nil for nothing.
var writers = map[Agent]func(*Event, Reply) any{
	ClaudeCode: claudeReply, Codex: codexReply, Gemini: geminiReply, Cursor: cursorReply,
}

func short(text string) string {
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText-1]) + "…"
}

// output is a reply of the shape that Claude Code, Codex and Gemini share.
type output struct {
	Continue   *bool     `json:"continue,omitempty"`
	StopReason string    `json:"stopReason,omitempty"`
	Decision   string    `json:"decision,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Specific   *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event    string `json:"hookEventName"`
	Context  string `json:"additionalContext,omitempty"`
	Decision string `json:"permissionDecision,omitempty"`
	Reason   string `json:"permissionDecisionReason,omitempty"`
}

func context(e *Event, text string) any {
	if text == "" {
		return nil
	}
	return output{Specific: &specific{Event: e.Name, Context: text}}
}

func decided(decision, reason string) any {
	if reason == "" {
		return nil
	}
	return output{Decision: decision, Reason: reason}
}

// halted ends the agent's loop.
func halted(reason string) output { return output{Continue: new(bool), StopReason: reason} }

// refused denies the call, for whichever reason is there.
func refused(e *Event, r Reply) any {
	reason := r.Halt
	if reason == "" {
		reason = r.Deny
	}
	if reason == "" {
		return nil
	}
	return output{Specific: &specific{Event: e.Name, Decision: "deny", Reason: reason}}
}

// claudeReply: before a tool a denial wins over continue:false, which would let
// the tool run; behind a tool continue:false ends the loop.
func claudeReply(e *Event, r Reply) any {
	switch {
	case e.Point == PointBeforeTool:
		if reply := refused(e, r); reply != nil {
			return reply
		}
		return context(e, r.Context)
	case e.Point == PointPrompt && r.Halt != "":
		return decided("block", r.Halt)
	case e.Point == PointPrompt, e.Name == "Stop", e.Point == PointAfterTool, e.Point == PointAfterBatch:
		if r.Halt != "" {
			return halted(r.Halt)
		}
		return context(e, r.Context)
	case e.Name == "SubagentStop" && r.Halt != "":
		return halted(r.Halt)
	}
	return nil
}

// codexReply: continue:false does not halt it, and a reply with a field that the
// event does not have is dropped whole, such as hookSpecificOutput at Stop.
func codexReply(e *Event, r Reply) any {
	switch {
	case e.Point == PointBeforeTool:
		if reply := refused(e, r); reply != nil {
			return reply
		}
		return context(e, r.Context)
	case e.Point == PointPrompt && r.Halt != "":
		return decided("block", r.Halt)
	case r.Halt != "":
		return nil // its next tool is refused; at its end it stops by itself
	case e.Point == PointPrompt, e.Point == PointAfterTool:
		return context(e, r.Context)
	case e.Name == "Stop":
		return decided("block", r.Context)
	}
	return nil
}

func geminiReply(e *Event, r Reply) any {
	switch e.Point {
	case PointBeforeTool:
		if r.Halt != "" {
			out := halted(r.Halt)
			out.Decision, out.Reason = "deny", r.Halt
			return out
		}
		return decided("deny", r.Deny)
	case PointPrompt:
		if r.Halt != "" {
			return decided("deny", r.Halt)
		}
		return context(e, r.Context)
	case PointAfterTool, PointStop:
		if r.Halt != "" {
			return halted(r.Halt)
		}
		if e.Point == PointStop {
			return decided("block", r.Context)
		}
		return context(e, r.Context)
	}
	return nil
}

// cursorOutput is a reply to Cursor.
type cursorOutput struct {
	Continue   *bool  `json:"continue,omitempty"`
	Permission string `json:"permission,omitempty"`
	ForUser    string `json:"user_message,omitempty"`
	ForAgent   string `json:"agent_message,omitempty"`
	Context    string `json:"additional_context,omitempty"`
	Followup   string `json:"followup_message,omitempty"`
}

func cursorReply(e *Event, r Reply) any {
	switch {
	case e.Point == PointBeforeTool:
		reason := r.Halt
		if reason == "" {
			reason = r.Deny
		}
		if reason == "" {
			return nil
		}
		return cursorOutput{Permission: "deny", ForUser: reason, ForAgent: reason}
	case e.Point == PointPrompt && r.Halt != "":
		return cursorOutput{Continue: new(bool), ForUser: r.Halt}
	case r.Halt != "" || r.Context == "":
		return nil
	case e.Name == "postToolUse":
		return cursorOutput{Context: r.Context}
	case e.Name == "stop":
		return cursorOutput{Followup: r.Context}
	}
	return nil
}
