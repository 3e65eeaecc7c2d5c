package all

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
)

// The person sees what the agent is told, once: what an agent shows by itself is not
// added (CO-4). That it shows it was seen in a terminal, see test/agents.
func TestThePersonSeesItOnce(t *testing.T) {
	const shown = `"systemMessage":"T"`
	for _, c := range []struct {
		agent, event string
		reply        hook.Reply
		want         bool
	}{
		{"claude-code", "PostToolUse", hook.Reply{Context: "T", Person: "T"}, true},
		{"claude-code", "Stop", hook.Reply{Context: "T", Person: "T"}, false},
		{"claude-code", "Stop", hook.Reply{Person: "T"}, true},
		{"claude-code", "Stop", hook.Reply{Context: "told", Person: "T\ntold"}, true},
		{"claude-code", "PreToolUse", hook.Reply{Deny: "T", Person: "T"}, false},
		{"claude-code", "PostToolBatch", hook.Reply{Halt: "T", Person: "T"}, false},
		{"codex", "PostToolUse", hook.Reply{Context: "T", Person: "T"}, true},
		{"codex", "PreToolUse", hook.Reply{Deny: "T", Person: "T"}, false},
		{"codex", "Stop", hook.Reply{Halt: "T", Person: "T"}, false},
		{"codex", "Stop", hook.Reply{Context: "T", Person: "T"}, false},
		{"codex", "Stop", hook.Reply{Context: "told", Person: "told\nT"}, true},
		{"gemini", "AfterAgent", hook.Reply{Context: "T", Person: "T"}, false},
		{"gemini", "AfterAgent", hook.Reply{Person: "T"}, true},
		{"gemini", "AfterTool", hook.Reply{Context: "T", Person: "T"}, true},
		{"gemini", "BeforeTool", hook.Reply{Deny: "T", Person: "T"}, true},
		{"gemini", "AfterTool", hook.Reply{Halt: "T", Person: "T"}, false},
		{"gemini", "SessionStart", hook.Reply{Person: "T"}, false},
	} {
		dialect, err := Hooks().Named(c.agent)
		require.NoError(t, err)
		event, err := dialect.Parse([]byte(`{"session_id":"s","hook_event_name":"` + c.event + `","tool_name":"Bash","tool_input":{}}`))
		require.NoError(t, err)
		body, err := event.Encode(c.reply)
		require.NoError(t, err)
		if c.want {
			require.Contains(t, string(body), shown, "%s %s", c.agent, c.event)
		} else {
			require.NotContains(t, string(body), shown, "%s %s", c.agent, c.event)
		}
	}
}
