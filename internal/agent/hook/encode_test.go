package hook

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// event is a hook of an agent, as the agent would call it.
func event(t *testing.T, agent Agent, name string) *Event {
	t.Helper()
	e, err := Parse(agent, []byte(fmt.Sprintf(`{"session_id":"s","conversation_id":"s","hook_event_name":%q,"tool_name":"Bash"}`, name)))
	require.NoError(t, err)
	return &e
}

// What is said at which hook, as measured with the agents themselves.
func TestEncode(t *testing.T) {
	context, deny, halt := Reply{Context: "C"}, Reply{Deny: "D"}, Reply{Halt: "H"}
	said := func(name string) string {
		return `{"hookSpecificOutput":{"hookEventName":"` + name + `","additionalContext":"C"}}`
	}
	denied := func(why string) string {
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + why + `"}}`
	}
	for _, c := range []struct {
		agent Agent
		name  string
		reply Reply
		want  string
	}{
		{ClaudeCode, "PostToolBatch", context, said("PostToolBatch")},
		{ClaudeCode, "PostToolUse", context, said("PostToolUse")},
		{ClaudeCode, "PostToolUseFailure", context, said("PostToolUseFailure")},
		{ClaudeCode, "UserPromptSubmit", context, said("UserPromptSubmit")},
		{ClaudeCode, "Stop", context, said("Stop")},
		{ClaudeCode, "PreToolUse", context, said("PreToolUse")},
		{ClaudeCode, "PreToolUse", deny, denied("D")},
		{ClaudeCode, "PreToolUse", halt, denied("H")},
		{ClaudeCode, "PostToolBatch", halt, `{"continue":false,"stopReason":"H"}`},
		{ClaudeCode, "SubagentStop", halt, `{"continue":false,"stopReason":"H"}`},
		{ClaudeCode, "UserPromptSubmit", halt, `{"decision":"block","reason":"H"}`},
		{ClaudeCode, "SubagentStop", context, `{}`},
		{ClaudeCode, "SessionStart", context, `{}`},
		{ClaudeCode, "MessageDisplay", context, `{}`},
		{ClaudeCode, "PostToolBatch", deny, `{}`},
		{Codex, "PostToolUse", context, said("PostToolUse")},
		{Codex, "UserPromptSubmit", context, said("UserPromptSubmit")},
		{Codex, "Stop", context, `{"decision":"block","reason":"C"}`},
		{Codex, "PreToolUse", halt, denied("H")},
		{Codex, "PostToolUse", halt, `{}`},
		{Codex, "Stop", halt, `{}`},
		{Codex, "UserPromptSubmit", halt, `{"decision":"block","reason":"H"}`},
		{Gemini, "AfterTool", context, said("AfterTool")},
		{Gemini, "BeforeAgent", context, said("BeforeAgent")},
		{Gemini, "AfterAgent", context, `{"decision":"block","reason":"C"}`},
		{Gemini, "BeforeTool", deny, `{"decision":"deny","reason":"D"}`},
		{Gemini, "BeforeTool", halt, `{"continue":false,"stopReason":"H","decision":"deny","reason":"H"}`},
		{Gemini, "AfterTool", halt, `{"continue":false,"stopReason":"H"}`},
		{Gemini, "AfterAgent", halt, `{"continue":false,"stopReason":"H"}`},
		{Gemini, "BeforeAgent", halt, `{"decision":"deny","reason":"H"}`},
		{Gemini, "BeforeTool", context, `{}`},
		{Cursor, "postToolUse", context, `{"additional_context":"C"}`},
		{Cursor, "stop", context, `{"followup_message":"C"}`},
		{Cursor, "preToolUse", deny, `{"permission":"deny","user_message":"D","agent_message":"D"}`},
		{Cursor, "beforeShellExecution", halt, `{"permission":"deny","user_message":"H","agent_message":"H"}`},
		{Cursor, "beforeSubmitPrompt", halt, `{"continue":false,"user_message":"H"}`},
		{Cursor, "postToolUse", halt, `{}`},
		{Cursor, "stop", halt, `{}`},
	} {
		e := event(t, c.agent, c.name)
		got, err := Encode(e, c.reply)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got), "%s %s %v", c.agent, c.name, c.reply)
		if c.reply == context {
			require.Equal(t, c.want != "{}", Takes(e), "%s %s", c.agent, c.name)
		}
	}
}

// codexOutput are the fields that Codex takes, by event; one more and it drops
// the whole reply.
var codexOutput = map[string]struct{ own, specific []string }{
	"PreToolUse":       {[]string{"hookSpecificOutput"}, []string{"hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"}},
	"PostToolUse":      {[]string{"continue", "stopReason", "decision", "reason", "hookSpecificOutput"}, []string{"hookEventName", "additionalContext"}},
	"UserPromptSubmit": {[]string{"continue", "stopReason", "decision", "reason", "hookSpecificOutput"}, []string{"hookEventName", "additionalContext"}},
	"Stop":             {[]string{"continue", "stopReason", "decision", "reason"}, nil},
	"SubagentStop":     {[]string{"continue", "stopReason", "decision", "reason"}, nil},
	"SessionStart":     {[]string{"continue", "stopReason", "hookSpecificOutput"}, []string{"hookEventName", "additionalContext"}},
	"PreCompact":       {[]string{"continue", "stopReason"}, nil},
	"SessionEnd":       {nil, nil},
}

func TestCodexGetsOnlyFieldsItKnows(t *testing.T) {
	for name, allowed := range codexOutput {
		e := event(t, Codex, name)
		for _, r := range []Reply{{}, {Context: "C"}, {Deny: "D"}, {Halt: "H"}, {Context: "C", Deny: "D", Halt: "H"}} {
			data, err := Encode(e, r)
			require.NoError(t, err)
			var out map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(data, &out))
			for field := range out {
				require.Contains(t, allowed.own, field, "%s %v", name, r)
			}
			var specific map[string]string
			if raw := out["hookSpecificOutput"]; raw != nil {
				require.NoError(t, json.Unmarshal(raw, &specific))
			}
			for field := range specific {
				require.Contains(t, allowed.specific, field, "%s %v", name, r)
			}
		}
	}
}

func TestLongTextsAreCut(t *testing.T) {
	data, err := Encode(event(t, ClaudeCode, "Stop"), Reply{Context: strings.Repeat("ä", 20_000)})
	require.NoError(t, err)
	var out struct {
		Specific struct{ AdditionalContext string } `json:"hookSpecificOutput"`
	}
	require.NoError(t, json.Unmarshal(data, &out))
	require.Len(t, []rune(out.Specific.AdditionalContext), 10_000)
}

// What the matrix promises is what the encoders can say.
func TestCapabilitiesAreTrue(t *testing.T) {
	middle := map[Agent]string{ClaudeCode: "PostToolBatch", Codex: "PostToolUse", Gemini: "AfterTool", Cursor: "postToolUse"}
	before := map[Agent]string{ClaudeCode: "PreToolUse", Codex: "PreToolUse", Gemini: "BeforeTool", Cursor: "preToolUse"}
	for _, c := range Capabilities() {
		require.Equal(t, c, c.Agent.Capability())
		require.Equal(t, c.Inject == InjectMidTool, Takes(event(t, c.Agent, middle[c.Agent])), "%s", c.Agent)
		halt, err := Encode(event(t, c.Agent, middle[c.Agent]), Reply{Halt: "H"})
		require.NoError(t, err)
		require.Equal(t, c.Halt == HaltHard, strings.Contains(string(halt), `"continue":false`), "%s", c.Agent)
		refused, err := Encode(event(t, c.Agent, before[c.Agent]), Reply{Halt: "H"})
		require.NoError(t, err)
		require.Contains(t, string(refused), `"deny"`, "%s", c.Agent)
	}
	require.Equal(t, Capability{Agent: "aider", Inject: InjectNone, Halt: HaltNone}, Agent("aider").Capability())
}
