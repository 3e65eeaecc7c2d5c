package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/claudecode"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// farAgent is an agent on another machine: the service sees a clean checkout where the agent has a person's
// work.
type farAgent struct {
	t       *testing.T
	session string
	dir     string
	call    hookclient.Call
}

// far puts a proxy between an agent's hooks and a system, through which a folder of the agent becomes
// another one, and its place that of another machine.
func far(t *testing.T, s *running, session string, tellsPlace bool) *farAgent {
	t.Helper()
	dir := personsWork(t)
	clean := filepath.Join(t.TempDir(), "clean")
	out, err := exec.Command("git", "clone", "-q", dir, clean).CombinedOutput()
	require.NoError(t, err, "%s", out)
	target, err := url.Parse("http://" + s.HTTP())
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = target.Host
		body, err := io.ReadAll(r.In.Body)
		require.NoError(t, err)
		body = bytes.ReplaceAll(body, []byte(dir), []byte(clean))
		r.Out.Body = io.NopCloser(bytes.NewReader(body))
		r.Out.ContentLength = int64(len(body))
		r.Out.Header.Set("Content-Length", strconv.Itoa(len(body)))
		if !tellsPlace {
			r.Out.Header.Del(wire.PlaceHeader)
		}
	}}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	folder := t.TempDir()
	here := alone.Guard{Folder: folder, Patience: time.Minute}
	return &farAgent{t: t, session: session, dir: dir, call: hookclient.Call{
		Agent: &claudecode.Hooks, URL: server.URL, Token: "unused", Timeout: time.Minute, Notes: folder, Alone: here.Hook, Judge: here.Judge,
	}}
}

func (a *farAgent) hook(name string, more fields) string {
	a.t.Helper()
	more["hook_event_name"], more["session_id"], more["cwd"] = name, a.session, a.dir
	input, err := json.Marshal(more)
	require.NoError(a.t, err)
	var out bytes.Buffer
	require.NoError(a.t, a.call.Answer(a.t.Context(), bytes.NewReader(input), &out))
	return out.String()
}

func (a *farAgent) run(id, command string) string {
	a.t.Helper()
	return a.hook("PreToolUse", fields{"tool_name": "Bash", "tool_use_id": id, "tool_input": fields{"command": command}})
}

// A service that runs where the workspace cannot be seen lets the hook judge what a call destroys: it is
// denied, and recorded by the system as any other; the service asks Git about no folder of its own that has
// the same name (GD-20).
func TestTheGuardOfAnotherMachine(t *testing.T) {
	s := hooked(t, time.Minute)
	a := far(t, s, "far-1", true)
	a.hook("SessionStart", fields{"source": "startup"})
	a.hook("UserPromptSubmit", fields{"prompt": "Fix the totals."})
	for id, command := range map[string]string{"c1": "rm -rf thesis.md", "c2": "git clean -fd", "c3": "rm " + filepath.Join(a.dir, "thesis.md")} {
		require.Contains(t, a.run(id, command), `"permissionDecision":"deny"`, command)
	}
	require.Empty(t, a.run("c4", "go test ./..."))
	require.FileExists(t, filepath.Join(a.dir, "thesis.md"))
	require.Eventually(t, func() bool { return len(s.guardEvents()) == 3 }, patience, 20*time.Millisecond)
	for _, e := range s.guardEvents() {
		decided := e.Data.(*sessionevents.GuardDecided)
		require.Equal(t, sessionevents.GuardDenied, decided.Happened())
		require.False(t, decided.Alone, "the system recorded it")
		require.Equal(t, "far-1", decided.Session)
	}
	left, err := os.ReadDir(filepath.Join(a.call.Notes, "decided"))
	require.True(t, os.IsNotExist(err) || len(left) == 0, "nothing waits in a spool that nobody reads")

	// The case is real: without its place the same service sees its own clean folder.
	b := far(t, s, "far-2", false)
	b.hook("SessionStart", fields{"source": "startup"})
	require.NotContains(t, b.run("c1", "git clean -fd"), `"deny"`)
}
