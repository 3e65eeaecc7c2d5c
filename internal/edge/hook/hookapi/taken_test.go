package hookapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// deliveries keeps what is recorded of interrupts.
type deliveries struct {
	mu      sync.Mutex
	kept    []*sessionevents.InterruptDelivery
	earlier bool // another instance has recorded the same before
}

func (d *deliveries) SentBefore(context.Context, events.Event, uint64) (bool, error) {
	return d.earlier, nil
}

func (d *deliveries) Event(_ context.Context, e events.Event) (client.Receipt, error) {
	if one, is := e.Data.(*sessionevents.InterruptDelivery); is {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.kept = append(d.kept, one)
	}
	return client.Receipt{}, nil
}

// An interrupt is for its session alone. Who names another's session can have it, as
// docs/security.md says: once, and the delivery is on the record with its channel.
func TestAnInterruptIsForItsSession(t *testing.T) {
	box, records := mailbox.New(), &deliveries{}
	box.CatchUp()
	box.Apply(events.Event{Type: sessionevents.TypeInterruptFired, Subject: "mine", Data: &sessionevents.InterruptFired{
		ID: "i1", Session: "mine", Turn: 1, Headline: "SCAFFOLD-WATCH INTERRUPT", Message: "Stop.", ExpiresTurn: 9,
	}})
	h := New(Options{Dialects: all.Hooks(), Mailbox: box, Log: slog.New(slog.DiscardHandler), Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil)})
	h.Attach(records)
	ask := func(session string) string {
		body := fmt.Sprintf(`{"session_id":%q,"hook_event_name":"PostToolUse","tool_name":"Read","tool_use_id":"t","tool_input":{}}`, session)
		r := httptest.NewRequest(http.MethodPost, "/v1/hooks/claude-code", strings.NewReader(body))
		r.SetPathValue("agent", "claude-code")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	require.NotContains(t, ask("other"), "Stop.")
	require.Contains(t, ask("mine"), "Stop.")
	require.NotContains(t, ask("mine"), "Stop.", "it is said once (DP-21)")
	records.mu.Lock()
	defer records.mu.Unlock()
	require.NotEmpty(t, records.kept)
	first := records.kept[0]
	require.Equal(t, "i1 emitted hook:claude-code:PostToolUse", fmt.Sprint(first.Interrupt, " ", first.State, " ", first.Channel))
}

// Of two instances that would say the same interrupt, the one does whose record INPUT
// stored first (DP-21).
func TestAnInterruptThatAnotherInstanceSaysIsNotSaid(t *testing.T) {
	for _, earlier := range []bool{false, true} {
		box := mailbox.New()
		box.CatchUp()
		box.Apply(events.Event{Type: sessionevents.TypeInterruptFired, Subject: "mine", Data: &sessionevents.InterruptFired{
			ID: "i1", Session: "mine", Turn: 1, Headline: "SCAFFOLD-WATCH INTERRUPT", Message: "Stop.", ExpiresTurn: 9,
		}})
		h := New(Options{Dialects: all.Hooks(), Mailbox: box, Log: slog.New(slog.DiscardHandler), Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil)})
		h.Attach(&deliveries{earlier: earlier})
		r := httptest.NewRequest(http.MethodPost, "/v1/hooks/claude-code", strings.NewReader(`{"session_id":"mine","hook_event_name":"PostToolUse","tool_name":"Read","tool_use_id":"t","tool_input":{}}`))
		r.SetPathValue("agent", "claude-code")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.Equal(t, !earlier, strings.Contains(w.Body.String(), "Stop."))
	}
}
