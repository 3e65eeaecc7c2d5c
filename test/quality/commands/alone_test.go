package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/alone"
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

// A hook to which no system answers gives the same verdicts as one with a system, `try` and `scan`
// (GD-1, GD-20): each case is a session of its own.
func TestTheHookAloneSaysTheSame(t *testing.T) {
	p := place(t, Full)
	l := &lone{t: t, folder: p.Repo, guard: alone.Guard{Folder: filepath.Join(t.TempDir(), "hook"), Patience: time.Minute}}
	asked := 0
	for _, name := range []string{"harmless", "destructive"} {
		cases, err := Own(name, p.Home)
		require.NoError(t, err)
		for _, c := range cases {
			if asked++; testing.Short() && asked%7 != 0 {
				continue
			}
			session := fmt.Sprintf("lone-%d", asked)
			l.call(session, "SessionStart", map[string]any{"source": "startup"})
			want := c.Want
			if want == "keep" {
				want = "warn" // with the snapshot in the answer
			}
			assert.Equal(t, want, l.shell(session, c.Command), "%s", c.Command)
			require.NoError(t, os.RemoveAll(filepath.Join(l.guard.Folder, "sessions")))
		}
	}
	require.Greater(t, asked, 300)
}
