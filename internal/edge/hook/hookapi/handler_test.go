package hookapi

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// recorder is a Publisher that keeps what it is given.
type recorder struct {
	mu   sync.Mutex
	kept []events.Event
}

func (r *recorder) Event(_ context.Context, e events.Event) (client.Receipt, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, e)
	return client.Receipt{}, nil
}

// answers are those that the recorded hook calls hold.
func (*recorder) SentBefore(context.Context, events.Event, uint64) (bool, error) { return false, nil }

func (r *recorder) answers() (out []*sessionevents.HookAnswer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.kept {
		if d, is := e.Data.(*sessionevents.HookReceived); is {
			out = append(out, d.Answer)
		}
	}
	return out
}

// decided returns the recorded answers of the guard.
func (r *recorder) decided() (out []events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.kept {
		if e.Type == sessionevents.TypeGuardDecided {
			out = append(out, e)
		}
	}
	return out
}

// What the guard answered is an event of its own (GD-21), with the same id however often the
// agent asks about one call; a subagent's is in its parent's group.
func TestTheGuardsAnswersAreEvents(t *testing.T) {
	records := &recorder{}
	decided := &sessionevents.GuardDecided{Session: "s1", Call: "t", Verdict: sessionevents.HookDeny, Acts: []sessionevents.GuardAct{}}
	h := New(Options{
		Dialects: all.Hooks(), Mailbox: mailbox.New(), Log: slog.New(slog.DiscardHandler), Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil),
		Preflight: func(Question) Answer {
			one := *decided
			return Answer{HookAnswer: sessionevents.HookAnswer{Decision: sessionevents.HookDeny, Text: "No."}, Decided: &one}
		},
	})
	h.Attach(records)
	asked(t, h, "PreToolUse")
	asked(t, h, "PreToolUse")
	decided.Call = "t2"
	asked(t, h, "PreToolUse")
	decided.Session, decided.Call = "s1-agent-7", ""
	asked(t, h, "PreToolUse")
	asked(t, h, "PreToolUse")
	require.Eventually(t, func() bool { return len(records.decided()) == 5 }, time.Minute, time.Millisecond)
	list := records.decided()
	require.Equal(t, list[0].ID, list[1].ID)
	require.NotEqual(t, list[0].ID, list[2].ID)
	require.NotEqual(t, list[3].ID, list[4].ID, "calls without an id are told apart")
	require.Equal(t, []string{"s1", "s1", "s1-agent-7", "s1"}, []string{list[0].Subject, list[0].Group(), list[3].Subject, list[3].Group()})
	for _, e := range list {
		require.NoError(t, events.Validate(e, events.Limits{}))
	}
	require.Equal(t, sessionevents.TypeHookReceived, string(records.kept[0].Type), "the call comes before what is said of it")
}

// What the workspace shows is recorded before the end of the response that it was looked at for, and
// only there (JD-20).
func TestTheWorkspaceIsLookedAtBeforeTheEndOfAResponse(t *testing.T) {
	records := &recorder{}
	h := New(Options{
		Dialects: all.Hooks(), Mailbox: mailbox.New(), Log: slog.New(slog.DiscardHandler), Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil),
		Look: func(*hook.Event) *sessionevents.WorkspaceObserved {
			return &sessionevents.WorkspaceObserved{Asked: []sessionevents.ObservedQuestion{sessionevents.AskedCommit}, Commit: "3f2c9a1"}
		},
	})
	h.Attach(records)
	asked(t, h, "PreToolUse")
	asked(t, h, "Stop")
	types := func() (out []events.Type) {
		records.mu.Lock()
		defer records.mu.Unlock()
		for _, e := range records.kept {
			out = append(out, e.Type)
		}
		return out
	}
	want := []events.Type{sessionevents.TypeHookReceived, sessionevents.TypeWorkspaceObserved, sessionevents.TypeHookReceived}
	require.Eventually(t, func() bool { return len(types()) == len(want) }, time.Minute, time.Millisecond)
	require.Equal(t, want, types())
	seen := records.kept[1]
	require.Equal(t, []string{"s1", "s1"}, []string{seen.Subject, seen.Group()})
	require.NoError(t, events.Validate(seen, events.Limits{}))
}

// broken is a broker that takes nothing.
type broken struct{}

func (broken) Event(context.Context, events.Event) (client.Receipt, error) {
	return client.Receipt{}, errors.New("no quorum")
}
func (broken) SentBefore(context.Context, events.Event, uint64) (bool, error) { return false, nil }

// GD-21: what was answered while the broker takes nothing is kept for later, with the id that it would have had.
func TestTheGuardsAnswersSurviveABrokenBroker(t *testing.T) {
	var mu sync.Mutex
	var kept []events.Event
	h := New(Options{
		Dialects: all.Hooks(), Mailbox: mailbox.New(), Log: slog.New(slog.DiscardHandler), Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil),
		Preflight: func(Question) Answer {
			return Answer{HookAnswer: sessionevents.HookAnswer{Decision: sessionevents.HookWarn, Text: "Careful."}, Decided: &sessionevents.GuardDecided{Session: "s1", Call: "t", Verdict: sessionevents.HookWarn, Acts: []sessionevents.GuardAct{}}}
		},
		Spool: func(e events.Event) error {
			mu.Lock()
			defer mu.Unlock()
			kept = append(kept, e)
			return nil
		},
	})
	h.Attach(broken{})
	body := `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Write","tool_use_id":"t","tool_input":{}}`
	r := httptest.NewRequest(http.MethodPost, "/v1/hooks/claude-code", strings.NewReader(body))
	r.SetPathValue("agent", "claude-code")
	r.Header.Set("Content-Type", "application/json")
	h.ServeHTTP(httptest.NewRecorder(), r)
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(kept) == 1 }, time.Minute, time.Millisecond)
	require.Equal(t, sessionevents.TypeGuardDecided, string(kept[0].Type))
	require.Equal(t, events.DerivedID("guard", "s1/t", "warn", 0), kept[0].ID)
	require.False(t, kept[0].Time.IsZero())
	require.NoError(t, events.Validate(kept[0], events.Limits{}))
}

// asked sends one hook call of session s1.
func asked(t *testing.T, h *Handler, event string) string {
	t.Helper()
	body := `{"session_id":"s1","hook_event_name":"` + event + `","tool_name":"Write","tool_use_id":"t","tool_input":{}}`
	r := httptest.NewRequest(http.MethodPost, "/v1/hooks/claude-code", strings.NewReader(body))
	r.SetPathValue("agent", "claude-code")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Header().Get(ErrorHeader))
	return w.Body.String()
}

// What was answered before a tool stands in the record of the call and in the
// log, and who answers knows what persons muted (DP-24, DP-25).
func TestAnswersAreRecorded(t *testing.T) {
	var log strings.Builder
	box, records := mailbox.New(), &recorder{}
	act := &runevents.OperatorAct{Act: runevents.ActMute, Session: "s1", By: "ann", Details: json.RawMessage(`{"scope":"detector","detector":"B1"}`)}
	box.Apply(events.Event{Subject: "s1", Data: &sessionevents.TurnEvaluated{Session: "s1", Turn: 2}})
	box.Apply(events.Event{Subject: "s1", Data: act})
	var question Question
	answer := sessionevents.HookAnswer{}
	h := New(Options{
		Dialects: all.Hooks(),
		Mailbox:  box, Log: slog.New(slog.NewTextHandler(&log, nil)), Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil),
		Preflight: func(q Question) Answer { question = q; return Answer{HookAnswer: answer} },
	})
	h.Attach(records)

	answer = sessionevents.HookAnswer{Decision: "deny", Class: "security", Rule: "B1", Text: "A key.", Reason: "It is one."}
	require.Contains(t, asked(t, h, "PreToolUse"), `"permissionDecisionReason":"A key."`)
	require.Contains(t, log.String(), "decision=deny class=security rule=B1")
	require.Equal(t, 3, question.Turn)
	require.Equal(t, []budget.Mute{{Scope: runevents.MuteDetector, Detector: "B1", By: "ann"}}, question.Mutes)

	answer.Decision = "warn"
	require.Contains(t, asked(t, h, "PreToolUse"), `"additionalContext":"A key."`)
	answer = sessionevents.HookAnswer{Decision: "allow", Reason: "muted by ann"}
	require.Equal(t, "{}", asked(t, h, "PreToolUse"))
	answer = sessionevents.HookAnswer{Decision: "allow"}
	require.Equal(t, "{}", asked(t, h, "PreToolUse"))
	answer.Decision = "deny"
	require.Equal(t, "{}", asked(t, h, "PostToolUse"), "only what is about to run is asked about")

	require.Eventually(t, func() bool { return len(records.answers()) == 5 }, time.Minute, time.Millisecond)
	var decisions []string
	for _, a := range records.answers() {
		if a != nil {
			decisions = append(decisions, string(a.Decision))
		}
	}
	require.ElementsMatch(t, []string{"deny", "warn", "allow"}, decisions)
}

// slow is a Publisher that waits until it is let go.
type slow struct{ let chan struct{} }

func (slow) SentBefore(context.Context, events.Event, uint64) (bool, error) { return false, nil }

func (s slow) Event(context.Context, events.Event) (client.Receipt, error) {
	<-s.let
	return client.Receipt{}, nil
}

// A flood of calls is not taken once it would fill the memory; the agents go on.
func TestAFloodIsNotTaken(t *testing.T) {
	h := New(Options{Dialects: all.Hooks(), Mailbox: mailbox.New(), Log: slog.New(slog.DiscardHandler), Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil)})
	publisher := slow{make(chan struct{})}
	h.Attach(publisher)
	post := func(length int64) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/v1/hooks/codex", strings.NewReader(`{"session_id":"s1","hook_event_name":"Stop"}`))
		r.SetPathValue("agent", "codex")
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = length
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	for range maxUnderway / (copies * maxBody) {
		require.Equal(t, http.StatusOK, post(-1).Code, "a length that is not told counts as the most")
	}
	w := post(100)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Equal(t, "{}", w.Body.String())
	require.Equal(t, "too many hook calls at once", w.Header().Get(ErrorHeader))
	close(publisher.let)
	require.Eventually(t, func() bool { return post(100).Code == http.StatusOK }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return h.underway.TryAcquire(maxUnderway) }, time.Minute, time.Millisecond, "all is given back")
}
