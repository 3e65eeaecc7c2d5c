package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/system"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// hookedAgent calls the hooks of one session, as an agent would.
type hookedAgent struct {
	*running
	name    string
	session string
	run     string // "" for none
}

// hooked starts a system whose hooks wait long enough for every decision.
func hooked(t *testing.T, wait time.Duration) *running {
	s := start(t, func(c *config.Config) { c.Hooks.Wait = wait })
	s.awaitHooks()
	return s
}

// awaitHooks waits until the mailbox has read the decisions.
func (s *running) awaitHooks() {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		r, err := http.Get("http://" + s.HTTP() + "/readyz")
		if err != nil {
			return false
		}
		defer r.Body.Close()
		var state map[string]string
		return json.NewDecoder(r.Body).Decode(&state) == nil && state["hooks"] == "ok"
	}, patience, 10*time.Millisecond)
}

type fields map[string]any

// hook calls one hook and returns the reply.
func (a *hookedAgent) hook(event string, more fields) string {
	a.t.Helper()
	body := fields{"session_id": a.session, "hook_event_name": event, "cwd": "/srv/shop", "transcript_path": "/srv/t.jsonl"}
	for k, v := range more {
		body[k] = v
	}
	status, reply, why := a.post(body)
	require.Equal(a.t, http.StatusOK, status, "%s: %s", event, why)
	return reply
}

func (a *hookedAgent) post(body fields) (status int, reply, why string) {
	data, err := json.Marshal(body)
	require.NoError(a.t, err)
	address := "http://" + a.HTTP() + "/v1/hooks/" + a.name
	if a.run != "" {
		address += "?run=" + a.run
	}
	r, err := http.Post(address, "application/json", bytes.NewReader(data))
	require.NoError(a.t, err)
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	require.NoError(a.t, err)
	return r.StatusCode, string(text), r.Header.Get("X-Scaffoldwatch-Error")
}

// write sends a response that writes a file: the calls of its hooks up to the end of the batch, whose reply
// it returns.
func (a *hookedAgent) write(id, path, content string) string {
	input := fields{"file_path": path, "content": content}
	call := fields{"tool_name": "Write", "tool_use_id": id, "tool_input": input}
	a.hook("MessageDisplay", fields{"message_id": "m-" + id, "index": 0, "final": true, "delta": "I'll write " + path + ".\n"})
	a.hook("PreToolUse", call)
	done := fields{"tool_name": "Write", "tool_use_id": id, "tool_input": input, "tool_response": fields{"type": "create", "filePath": path, "content": content, "structuredPatch": []any{}}}
	first := a.hook("PostToolUse", done)
	done["tool_response"] = "File created successfully at: " + path
	if batch := a.hook("PostToolBatch", fields{"tool_calls": []any{done}}); batch != "{}" {
		return batch
	}
	return first
}

// deliveries returns the recorded delivery states of a session's interrupts.
func (s *running) deliveries(session string) (states []string) {
	s.t.Helper()
	require.NoError(s.t, read.All(s.t.Context(), s.broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}, func(a read.Accepted) error {
		if d, ok := a.Input.Event.Data.(*sessionevents.InterruptDelivery); ok && d.Session == session {
			states = append(states, string(d.State))
		}
		return nil
	}))
	return states
}

func leak(secret string) string {
	return fmt.Sprintf("package config\n\nconst token = %q\n", secret)
}

// A secret that the agent writes is answered in the reply to the very batch that wrote it, and is in no
// durable stream (DP-3, DP-21, SW-7).
func TestInterruptThroughHooks(t *testing.T) {
	s := hooked(t, time.Minute)
	a := &hookedAgent{running: s, name: "claude-code", session: "hooks-1"}
	secret := secretstest.New(71).Provider("github")
	require.Equal(t, "{}", a.hook("SessionStart", fields{"source": "startup", "model": "claude-sonnet"}))
	require.Equal(t, "{}", a.hook("UserPromptSubmit", fields{"prompt": "Add a configuration for the shop."}))

	reply := a.write("toolu_1", "/srv/shop/config.go", leak(secret))
	var out struct {
		Specific struct{ HookEventName, AdditionalContext string } `json:"hookSpecificOutput"`
	}
	require.NoError(t, json.Unmarshal([]byte(reply), &out), reply)
	require.Equal(t, "PostToolBatch", out.Specific.HookEventName)
	require.Contains(t, out.Specific.AdditionalContext, "⚡ SCAFFOLD-WATCH INTERRUPT [CLASS-B | URGENCY: B1-ESCALATE]")
	require.Contains(t, out.Specific.AdditionalContext, "config.go")
	require.NotContains(t, reply, secret)

	require.Equal(t, "{}", a.hook("Stop", fields{"last_assistant_message": "Moved to the environment.", "stop_hook_active": false}))
	require.Equal(t, "{}", a.hook("SessionEnd", fields{"reason": "other"}))
	s.decided(1)
	require.Eventually(t, func() bool {
		return strings.Contains(strings.Join(s.deliveries("hooks-1"), " "), "emitted acked")
	}, patience, 20*time.Millisecond, "emitted once, and acknowledged by the hook after it: %v", s.deliveries("hooks-1"))

	model, err := decisions.ReadReport(t.Context(), s.broker, "hooks-1")
	require.NoError(t, err)
	require.Equal(t, 2, model.Coverage.Evaluated, "one turn with the batch, one with the end of the response")
	eachFile(t, s.data, func(path string, data []byte) {
		if !strings.Contains(path, string(filepath.Separator)+"INPUT"+string(filepath.Separator)) {
			requireNone(t, []string{secret}, path, data)
		}
	})
	requireNone(t, []string{secret}, "log", s.log.Bytes())
}

// What was decided after the wait is delivered at the next hook, once; a restart between two hooks changes
// neither.
func TestRestartBetweenHooks(t *testing.T) {
	s := hooked(t, 0)
	a := &hookedAgent{running: s, name: "claude-code", session: "hooks-2"}
	secret := secretstest.New(72).Provider("stripe")
	a.hook("UserPromptSubmit", fields{"prompt": "Add a configuration."})
	input := fields{"file_path": "config.go", "content": leak(secret)}
	a.hook("PreToolUse", fields{"tool_name": "Write", "tool_use_id": "w1", "tool_input": input})
	a.restart()
	require.Equal(t, "{}", a.hook("PostToolBatch", fields{"tool_calls": []any{fields{"tool_name": "Write", "tool_use_id": "w1", "tool_input": input, "tool_response": "ok"}}}))
	require.Eventually(t, func() bool { return s.fired("hooks-2") == 1 }, patience, 20*time.Millisecond)
	a.restart()
	var said []string
	for range 3 {
		if reply := a.hook("PostToolBatch", fields{"tool_calls": []any{}}); reply != "{}" {
			said = append(said, reply)
		}
	}
	require.Len(t, said, 1)
	require.Contains(t, said[0], "B1-ESCALATE")
	a.restart()
	require.Equal(t, "{}", a.hook("Stop", fields{"last_assistant_message": "Done."}))
	eachFile(t, s.data, func(path string, data []byte) {
		if !strings.Contains(path, string(filepath.Separator)+"INPUT"+string(filepath.Separator)) {
			requireNone(t, []string{secret}, path, data)
		}
	})
}

// fired counts the interrupts of a session.
func (s *running) fired(session string) (n int) {
	err := read.All(s.t.Context(), s.broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}, func(a read.Accepted) error {
		if a.Input.Event.Type == sessionevents.TypeInterruptFired && a.Input.Event.Subject == session {
			n++
		}
		return nil
	})
	require.NoError(s.t, err)
	return n
}

// restart stops the system and starts it on the same data.
func (s *running) restart() {
	s.t.Helper()
	s.nc.Close()
	require.NoError(s.t, s.Stop())
	settings := config.Default()
	settings.Streams.Partitions, settings.Hooks.Wait = 4, 0
	var err error
	s.System, err = system.Start(s.t.Context(), system.Options{
		Config: settings, Data: s.data, LazySync: true, Log: slog.New(slog.NewJSONHandler(s.log, nil)),
	})
	require.NoError(s.t, err)
	s.nc, err = nats.Connect(s.t.Context(), nats.ConnectOptions{Server: s.Server(), Name: "e2e"})
	require.NoError(s.t, err)
	s.broker, err = nats.Open(s.nc, link.Topology(settings), nats.Keys{}, nil)
	require.NoError(s.t, err)
	s.awaitHooks()
}

// Mistakes are answered with their reason and never stop an agent.
func TestHookMistakes(t *testing.T) {
	s := hooked(t, 0)
	a := &hookedAgent{running: s, name: "claude-code", session: "s"}
	status, reply, why := a.post(fields{"hook_event_name": "Stop"})
	require.Equal(t, http.StatusBadRequest, status)
	require.Equal(t, "{}", reply)
	require.Contains(t, why, "names no session")
	a.name = "aider"
	status, reply, why = a.post(fields{"session_id": "s"})
	require.Equal(t, http.StatusNotFound, status)
	require.Equal(t, "{}", reply)
	require.Contains(t, why, "there are claude-code, codex, copilot, gemini, opencode, cursor")
	r, err := http.Post("http://"+s.HTTP()+"/v1/hooks/codex", "text/plain", strings.NewReader("{}"))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusUnsupportedMediaType, r.StatusCode)
}

// Replies before a tool are recorded for an audit; a person's mute suppresses them (DP-24, DP-25).
func TestAnswersBeforeATool(t *testing.T) {
	s := hooked(t, 0)
	a := &hookedAgent{running: s, name: "claude-code", session: "hooks-mute"}
	secret := secretstest.New(83).Provider("github")
	call := fields{"tool_name": "Write", "tool_use_id": "t1", "tool_input": fields{"file_path": "/srv/shop/config.go", "content": leak(secret)}}
	require.Contains(t, a.hook("PreToolUse", call), "additionalContext", "B1 warns by default")
	act, err := operator.Mute(operator.Target{Session: a.session, Group: a.session}, runevents.MuteDetails{Scope: runevents.MuteDetector, Detector: "B1"}, "ann", "a demo key", time.Now())
	require.NoError(t, err)
	require.NoError(t, operator.Publish(t.Context(), s.broker.Conn(), act))
	require.Eventually(t, func() bool { return a.hook("PreToolUse", call) == "{}" }, patience, 20*time.Millisecond)
	require.Contains(t, string(s.log.Bytes()), `"rule":"B1"`)
	requireNone(t, []string{secret}, "log", s.log.Bytes())
}
