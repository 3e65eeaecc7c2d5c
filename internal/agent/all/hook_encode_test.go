package all

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/codex"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/copilot"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/cursor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/gemini"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/opencode"
)

// event returns a hook of an agent, as the agent would call it.
func event(t *testing.T, agent string, name string) *hook.Event {
	t.Helper()
	e, err := parseHook(agent, []byte(fmt.Sprintf(`{"session_id":"s","conversation_id":"s","hook_event_name":%q,"tool_name":"Bash"}`, name)))
	require.NoError(t, err)
	return &e
}

// What is said at which hook, as measured with the agents themselves.
func TestEncode(t *testing.T) {
	context, deny, halt := hook.Reply{Context: "C"}, hook.Reply{Deny: "D"}, hook.Reply{Halt: "H"}
	said := func(name string) string {
		return `{"hookSpecificOutput":{"hookEventName":"` + name + `","additionalContext":"C"}}`
	}
	denied := func(why string) string {
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + why + `"}}`
	}
	for _, c := range []struct {
		agent string
		name  string
		reply hook.Reply
		want  string
	}{
		{claudecode.Name, "PostToolBatch", context, said("PostToolBatch")},
		{claudecode.Name, "PostToolUse", context, said("PostToolUse")},
		{claudecode.Name, "PostToolUseFailure", context, said("PostToolUseFailure")},
		{claudecode.Name, "UserPromptSubmit", context, said("UserPromptSubmit")},
		{claudecode.Name, "Stop", context, said("Stop")},
		{claudecode.Name, "PreToolUse", context, said("PreToolUse")},
		{claudecode.Name, "PreToolUse", deny, denied("D")},
		{claudecode.Name, "PreToolUse", halt, denied("H")},
		{claudecode.Name, "PostToolBatch", halt, `{"continue":false,"stopReason":"H"}`},
		{claudecode.Name, "SubagentStop", halt, `{"continue":false,"stopReason":"H"}`},
		{claudecode.Name, "UserPromptSubmit", halt, `{"decision":"block","reason":"H"}`},
		{
			claudecode.Name, "PermissionRequest", halt,
			`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"H","interrupt":true}}}`,
		},
		{claudecode.Name, "PermissionRequest", context, `{}`},
		{claudecode.Name, "PermissionRequest", deny, `{}`},
		{claudecode.Name, "PermissionDenied", context, `{}`},
		{claudecode.Name, "PermissionDenied", halt, `{}`},
		{claudecode.Name, "TaskCreated", halt, `{"continue":false,"stopReason":"H"}`},
		{claudecode.Name, "TaskCompleted", halt, `{"continue":false,"stopReason":"H"}`},
		{claudecode.Name, "TeammateIdle", halt, `{"continue":false,"stopReason":"H"}`},
		{claudecode.Name, "TeammateIdle", context, `{}`},
		{claudecode.Name, "TaskCompleted", deny, `{}`},
		{claudecode.Name, "SubagentStop", context, `{}`},
		{claudecode.Name, "SessionStart", context, `{}`},
		{claudecode.Name, "MessageDisplay", context, `{}`},
		{claudecode.Name, "PostToolBatch", deny, `{}`},
		{codex.Name, "PostToolUse", context, said("PostToolUse")},
		{codex.Name, "UserPromptSubmit", context, said("UserPromptSubmit")},
		{codex.Name, "Stop", context, `{"decision":"block","reason":"C"}`},
		{codex.Name, "PreToolUse", halt, denied("H")},
		{codex.Name, "PostToolUse", halt, `{}`},
		{codex.Name, "Stop", halt, `{}`},
		{codex.Name, "UserPromptSubmit", halt, `{"decision":"block","reason":"H"}`},
		{gemini.Name, "AfterTool", context, said("AfterTool")},
		{gemini.Name, "BeforeAgent", context, said("BeforeAgent")},
		{gemini.Name, "AfterAgent", context, `{"decision":"block","reason":"C"}`},
		{gemini.Name, "BeforeTool", deny, `{"decision":"deny","reason":"D"}`},
		{gemini.Name, "BeforeTool", halt, `{"continue":false,"stopReason":"H","decision":"deny","reason":"H"}`},
		{gemini.Name, "AfterTool", halt, `{"continue":false,"stopReason":"H"}`},
		{gemini.Name, "AfterAgent", halt, `{"continue":false,"stopReason":"H"}`},
		{gemini.Name, "BeforeAgent", halt, `{"decision":"deny","reason":"H"}`},
		{gemini.Name, "BeforeTool", context, `{}`},
		{cursor.Name, "postToolUse", context, `{"additional_context":"C"}`},
		{cursor.Name, "stop", context, `{"followup_message":"C"}`},
		{cursor.Name, "preToolUse", deny, `{"permission":"deny","user_message":"D","agent_message":"D"}`},
		{cursor.Name, "beforeShellExecution", halt, `{"permission":"deny","user_message":"H","agent_message":"H"}`},
		{cursor.Name, "beforeSubmitPrompt", halt, `{"continue":false,"user_message":"H"}`},
		{cursor.Name, "postToolUse", halt, `{}`},
		{cursor.Name, "stop", halt, `{}`},
		{copilot.Name, "PreToolUse", deny, `{"permissionDecision":"deny","permissionDecisionReason":"D"}`},
		{copilot.Name, "PreToolUse", halt, `{"permissionDecision":"deny","permissionDecisionReason":"H"}`},
		{copilot.Name, "PreToolUse", context, `{}`},
		{copilot.Name, "PostToolUse", context, `{"additionalContext":"C"}`},
		{copilot.Name, "PostToolUse", halt, `{}`},
		{copilot.Name, "PostToolUseFailure", context, `{}`},
		{copilot.Name, "UserPromptSubmit", context, `{"additionalContext":"C"}`},
		{copilot.Name, "UserPromptSubmit", halt, `{"decision":"block","reason":"H"}`},
		{copilot.Name, "Stop", context, `{"decision":"block","reason":"Note of scaffoldwatch, not of the person: C"}`},
		{copilot.Name, "Stop", halt, `{}`},
	} {
		e := event(t, c.agent, c.name)
		got, err := e.Encode(c.reply)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got), "%s %s %v", c.agent, c.name, c.reply)
		if c.reply == context {
			require.Equal(t, c.want != "{}", e.Accepts(), "%s %s", c.agent, c.name)
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
		e := event(t, codex.Name, name)
		for _, r := range []hook.Reply{{}, {Context: "C"}, {Deny: "D"}, {Halt: "H"}, {Context: "C", Deny: "D", Halt: "H"}} {
			data, err := e.Encode(r)
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
	data, err := event(t, claudecode.Name, "Stop").Encode(hook.Reply{Context: strings.Repeat("ä", 20_000)})
	require.NoError(t, err)
	var out struct {
		Specific struct{ AdditionalContext string } `json:"hookSpecificOutput"`
	}
	require.NoError(t, json.Unmarshal(data, &out))
	require.Len(t, []rune(out.Specific.AdditionalContext), 10_000)
}

// What the matrix promises is what the encoders can say.
func TestCapabilitiesAreTrue(t *testing.T) {
	middle := map[string]string{
		claudecode.Name: "PostToolBatch", codex.Name: "PostToolUse",
		gemini.Name: "AfterTool", cursor.Name: "postToolUse", copilot.Name: "PostToolUse",
		opencode.Name: "PostToolUse",
	}
	before := map[string]string{
		claudecode.Name: "PreToolUse", codex.Name: "PreToolUse",
		gemini.Name: "BeforeTool", cursor.Name: "preToolUse", copilot.Name: "PreToolUse",
		opencode.Name: "PreToolUse",
	}
	for _, c := range Hooks() {
		require.Equal(t, c.Inject == hook.InjectMidTool, event(t, c.Agent, middle[c.Agent]).Accepts(), "%s", c.Agent)
		halt, err := event(t, c.Agent, middle[c.Agent]).Encode(hook.Reply{Halt: "H"})
		require.NoError(t, err)
		hard := strings.Contains(string(halt), `"continue":false`) || strings.Contains(string(halt), `"halt":`)
		require.Equal(t, c.Halt == hook.HaltHard, hard, "%s", c.Agent)
		refused, err := event(t, c.Agent, before[c.Agent]).Encode(hook.Reply{Halt: "H"})
		require.NoError(t, err)
		require.Contains(t, string(refused), `"deny"`, "%s", c.Agent)
	}
}
