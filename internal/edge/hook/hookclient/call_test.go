package hookclient

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
)

// notRunning is what the person reads where nothing listens (CO-3).
const notRunning = "scaffoldwatch is not running, so nobody is interrupted and nothing is reported; destructive commands are still guarded: start `scaffoldwatch up`, or `scaffoldwatch uninstall`"

func named(t *testing.T, agent string) *hook.Dialect {
	t.Helper()
	d, err := all.Hooks().Named(agent)
	require.NoError(t, err)
	return d
}

// nobody returns an address where nothing listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return "http://" + l.Addr().String()
}

func answer(t *testing.T, c Call, input string) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, c.Answer(context.Background(), strings.NewReader(input), &out))
	return strings.TrimSpace(out.String())
}

func event(name, session string) string {
	return `{"session_id":"` + session + `","conversation_id":"` + session + `","hook_event_name":"` + name + `","tool_name":"Bash","tool_input":{"command":"ls"}}`
}

// Each agent's user reads one message in a session, whichever hook comes first;
// every other call prints nothing at all.
func TestOneMessageInASession(t *testing.T) {
	for agent, hooks := range map[string][]string{
		"claude-code": {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop"},
		"codex":       {"UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"},
		"gemini":      {"BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"},
	} {
		c := Call{Agent: named(t, agent), URL: nobody(t), Timeout: time.Minute, Notes: t.TempDir()}
		for _, session := range []string{"one", "two"} {
			for i, name := range hooks {
				said := answer(t, c, event(name, session))
				if i == 0 {
					require.JSONEq(t, `{"systemMessage":"`+notRunning+`"}`, said, agent)
					continue
				}
				require.Empty(t, said, "%s %s", agent, name)
			}
		}
	}
}

// A hook that cannot show a message does not use it up, and where nothing can be
// noted nothing is said.
func TestTheMessageWaitsForAHookThatShowsIt(t *testing.T) {
	c := Call{Agent: named(t, "claude-code"), URL: nobody(t), Timeout: time.Minute, Notes: t.TempDir()}
	require.Empty(t, answer(t, c, event("MessageDisplay", "s")))
	require.Contains(t, answer(t, c, event("Stop", "s")), notRunning)
	require.Empty(t, answer(t, c, `{"hook_event_name":"Stop"}`), "no session")
	require.Empty(t, answer(t, c, "no JSON"))
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c.Notes = filepath.Join(file, "below")
	require.Empty(t, answer(t, c, event("Stop", "other")))
}

// Each kind of problem has its own message with its own cure.
func TestWhatIsWrongIsSaid(t *testing.T) {
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(s.Close)
	c := Call{Agent: named(t, "codex"), URL: s.URL, Timeout: time.Minute, Notes: t.TempDir()}
	require.Empty(t, answer(t, c, event("Stop", "s")))
	for code, wants := range map[int]string{
		http.StatusUnauthorized: "run `scaffoldwatch install --agent codex`", http.StatusServiceUnavailable: "is not ready", http.StatusTeapot: "does not accept this session's hooks",
	} {
		status = code
		require.Contains(t, answer(t, c, event("Stop", "s")), wants)
		require.Empty(t, answer(t, c, event("Stop", "s")))
	}
}

// A system that hangs costs the agent its timeout once, not at each step; when it
// answers again, it is asked with patience again.
func TestAHangingSystemIsAskedShortly(t *testing.T) {
	hang := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	t.Cleanup(s.Close)
	c := Call{Agent: named(t, "codex"), URL: s.URL, Timeout: 200 * time.Millisecond, Notes: t.TempDir()}
	to, err := addressOf(s.URL)
	require.NoError(t, err)
	require.Equal(t, c.Timeout, c.patience(to))
	require.Contains(t, answer(t, c, event("Stop", "s")), "does not answer")
	require.Equal(t, shortPatience, c.patience(to))
	closed := c
	closed.FailClosed = true
	require.Equal(t, c.Timeout, closed.patience(to), "a refusal is not given in haste")
	close(hang)
	require.Empty(t, answer(t, c, event("Stop", "s")))
	require.Equal(t, c.Timeout, c.patience(to))
}

func TestFailClosedRefuses(t *testing.T) {
	c := Call{Agent: named(t, "gemini"), URL: nobody(t), Timeout: time.Minute, Notes: t.TempDir(), FailClosed: true}
	require.Contains(t, answer(t, c, event("BeforeTool", "s")), `"decision":"deny"`)
	require.NotContains(t, answer(t, c, event("AfterTool", "s")), "deny")
}

// The agent's own token goes to this machine or over TLS, never in the open.
func TestTheTokenStaysPrivate(t *testing.T) {
	t.Setenv(hooktoken.Variable, t.TempDir())
	token, err := hooktoken.Make(os.Getenv(hooktoken.Variable), "codex")
	require.NoError(t, err)
	c := Call{Agent: named(t, "codex")}
	for address, want := range map[string]string{
		"http://127.0.0.1:8420": token, "http://[::1]:1": token, "http://localhost:1": token, "https://watch.example": token, "unix:///run/watch.sock": token,
		"http://watch.example": "", "http://10.0.0.1:8420": "",
	} {
		to, err := addressOf(address)
		require.NoError(t, err)
		require.Equal(t, want, c.token(to), address)
	}
	c.Token = "mine"
	to, _ := addressOf("http://10.0.0.1:8420")
	require.Equal(t, "mine", c.token(to))
}

// Notes do not pile up.
func TestNotesAreRemoved(t *testing.T) {
	folder := t.TempDir()
	require.True(t, first(folder, "a"))
	require.False(t, first(folder, "a"))
	old := time.Now().Add(-noteAge - time.Hour)
	require.NoError(t, os.Chtimes(name(folder, "a"), old, old))
	require.True(t, first(folder, "b"))
	require.NoFileExists(t, name(folder, "a"))
	require.FileExists(t, name(folder, "b"))
}
