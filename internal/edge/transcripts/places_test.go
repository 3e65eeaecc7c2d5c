package transcripts

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const line = `{"type":"user","sessionId":"s-1","uuid":"u1","isSidechain":false,"cwd":"/home/me/shop","timestamp":"2026-03-02T09:00:00Z","message":{"role":"user","content":"fix the login form"}}
{"type":"assistant","sessionId":"s-1","uuid":"u2","parentUuid":"u1","isSidechain":false,"cwd":"/home/me/shop","timestamp":"2026-03-02T09:00:05Z","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Looking."}]}}
`

// The transcripts of several agents are found, the last written first, and nothing else.
func TestLatestFindsWhatAgentsWrite(t *testing.T) {
	home := t.TempDir()
	write(t, home, map[string]string{
		".claude/projects/-home-me-shop/s-1.jsonl":                    line,
		".claude/projects/-home-me-shop/s-1/subagents/agent-a.jsonl":  line,
		".claude/projects/-home-me-shop/empty.jsonl":                  "",
		".claude/history.jsonl":                                       line,
		".codex/sessions/2026/03/02/rollout-2026-03-02T09-00-x.jsonl": "{}",
		".gemini/tmp/abc/chats/session-1.json":                        "{}",
		".copilot/session-state/1b2c/events.jsonl":                    "{}",
		".copilot/session-state/1b2c/workspace.yaml":                  "cwd: /x",
		"other/.claude/projects/x/s.jsonl":                            line,
	})
	for name, day := range map[string]int{
		".claude/projects/-home-me-shop/s-1.jsonl": 4, ".codex/sessions/2026/03/02/rollout-2026-03-02T09-00-x.jsonl": 3,
		".gemini/tmp/abc/chats/session-1.json": 2, ".copilot/session-state/1b2c/events.jsonl": 1,
	} {
		at := time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC)
		require.NoError(t, os.Chtimes(filepath.Join(home, filepath.FromSlash(name)), at, at))
	}
	none := func(string) string { return "" }
	found, err := Latest(home, none)
	require.NoError(t, err)
	var agents []string
	for _, k := range found {
		agents = append(agents, k.Agent)
	}
	require.Equal(t, []string{"Claude Code", "Codex", "Gemini CLI", "Copilot CLI"}, agents)
	require.Equal(t, []string{found[0].Path, filepath.Join(home, ".claude", "projects", "-home-me-shop", "s-1")}, found[0].With(), "its subagents belong to it")
	require.Len(t, found[1].With(), 1)
	require.Equal(t, "/home/me/shop", found[0].Opening().Workspace)
	require.Nil(t, found[1].Opening())

	elsewhere := func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return filepath.Join(home, "other", ".claude")
		}
		return ""
	}
	found, err = Latest(home, elsewhere)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(home, "other", ".claude", "projects", "x", "s.jsonl"), found[0].Path)
	found, err = Latest(filepath.Join(home, "nobody"), none)
	require.NoError(t, err)
	require.Empty(t, found)
}
