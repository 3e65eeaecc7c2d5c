package commands

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
)

// lone asks hooks to which no system answers.
type lone struct {
	t      *testing.T
	guard  alone.Guard
	folder string
}

func (l *lone) call(session, name string, fields map[string]any) hook.Reply {
	l.t.Helper()
	body := map[string]any{"session_id": session, "cwd": l.folder, "hook_event_name": name}
	for k, v := range fields {
		body[k] = v
	}
	raw, err := json.Marshal(body)
	require.NoError(l.t, err)
	agent, err := agents.Hooks().Named("claude-code")
	require.NoError(l.t, err)
	event, err := agent.Parse(raw)
	require.NoError(l.t, err)
	reply, err := l.guard.Hook(&event, name == "SessionStart")
	require.NoError(l.t, err)
	return reply
}

func (l *lone) shell(session, command string) string {
	l.t.Helper()
	switch r := l.call(session, "PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]any{"command": command}}); {
	case r.Deny != "":
		return "deny"
	case r.Context != "":
		return "warn"
	}
	return "allow"
}
