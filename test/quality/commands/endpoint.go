package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"

	"github.com/prometheus/client_golang/prometheus"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/uncommitted"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Endpoint is the real endpoint of hooks, with a broker that only keeps what is published.
type Endpoint struct {
	handler  http.Handler
	guard    *guard.Guard
	desk     *uncommitted.Desk
	recorded recorder
	answer   *sessionevents.HookAnswer // to the latest call
	sessions int
}

// NewEndpoint makes an endpoint that asks a checker.
func NewEndpoint(checker *preflight.Checker) *Endpoint {
	e := &Endpoint{desk: uncommitted.New(), recorded: make(recorder, 1)}
	g := &guard.Guard{
		Checker: checker, Desk: e.desk, Metrics: obs.NewPreflightMetrics(prometheus.NewRegistry(), nil),
		Begins: func(context.Context, string) bool { return true },
	}
	e.guard = g
	handler := hookapi.New(hookapi.Options{
		Dialects: agents.Hooks(), Mailbox: mailbox.New(), Preflight: g.Answer, Seen: g.Seen,
		Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil), Log: slog.New(slog.DiscardHandler),
	})
	handler.Attach(e.recorded)
	mux := http.NewServeMux()
	mux.Handle(hookapi.Pattern, handler)
	e.handler = mux
	return e
}

// Ask returns the answer to a command line of a new session in a folder, whose person said something.
func (e *Endpoint) Ask(directory, said, command string) (sessionevents.HookAnswer, error) {
	e.sessions++
	id := fmt.Sprintf("c%d", e.sessions)
	if err := e.post(id, directory, "UserPromptSubmit", map[string]any{"prompt": said}); err != nil {
		return sessionevents.HookAnswer{}, err
	}
	e.desk.Wait()
	err := e.post(id, directory, "PreToolUse", map[string]any{"tool_name": "Bash", "tool_use_id": "t1", "tool_input": map[string]any{"command": command}})
	e.desk.Ended(id)
	if e.answer == nil {
		return sessionevents.HookAnswer{Decision: sessionevents.HookAllow}, err
	}
	return *e.answer, err
}

func (e *Endpoint) post(id, directory, name string, fields map[string]any) error {
	return e.postIn("", id, directory, name, fields)
}

// postIn is one hook call of a session of a run. It ends when the call is recorded: on a busy machine the
// endpoint answers before that.
func (e *Endpoint) postIn(run, id, directory, name string, fields map[string]any) error {
	body := map[string]any{"session_id": id, "cwd": directory, "hook_event_name": name}
	for k, v := range fields {
		body[k] = v
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("ask the hook endpoint: %w", err)
	}
	request := httptest.NewRequest(http.MethodPost, "/v1/hooks/claude-code?run="+run, bytes.NewReader(raw))
	request.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	e.handler.ServeHTTP(answer, request)
	if answer.Code != http.StatusOK {
		return fmt.Errorf("ask the hook endpoint: status %d: %s", answer.Code, answer.Header().Get(hookapi.ErrorHeader))
	}
	e.answer = (<-e.recorded).Answer
	return nil
}

// recorder is a publisher that passes each recorded call on.
type recorder chan *sessionevents.HookReceived

// SentBefore: the broker that only keeps what is published never saw an event twice.
func (recorder) SentBefore(context.Context, events.Event, uint64) (bool, error) { return false, nil }

func (r recorder) Event(_ context.Context, e events.Event) (client.Receipt, error) {
	if received, is := e.Data.(*sessionevents.HookReceived); is {
		r <- received
	}
	return client.Receipt{}, nil
}
