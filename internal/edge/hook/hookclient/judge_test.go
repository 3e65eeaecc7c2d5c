package hookclient

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
)

// A system that asks for the judgement and then fails is one that does not answer: the hook decides alone,
// which also keeps the record, and an installation that fails closed runs nothing (GD-20).
func TestASystemThatFailsAfterTheJudgement(t *testing.T) {
	system := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(wire.JudgedHeader) == "" {
			w.WriteHeader(http.StatusPreconditionRequired)
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer system.Close()
	alone := 0
	c := Call{
		Agent: named(t, "claude-code"), URL: system.URL, Timeout: time.Minute,
		Judge: func(*hook.Event, bool) (wire.Judged, error) { return wire.Judged{Context: "a warning"}, nil },
		Alone: func(*hook.Event, bool) (hook.Reply, error) {
			alone++
			return hook.Reply{Deny: "the person's work"}, nil
		},
	}
	require.Contains(t, answer(t, c, event("PreToolUse", "s")), "the person's work")
	require.Equal(t, 1, alone)
	c.FailClosed = true
	require.Contains(t, answer(t, c, event("PreToolUse", "s")), "fail-closed")
	require.Equal(t, 1, alone)
}
