package hookapi

import (
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/mailbox"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Where looking at the workspace takes longer than the agent waits, the end of the response is still recorded before
// what follows it: its last message would be another turn (EV-3), and live would count more turns than scan.
func TestTheEndOfAResponseIsRecordedBeforeWhatFollows(t *testing.T) {
	records, looking, looked := &recorder{}, make(chan struct{}), make(chan struct{})
	h := New(Options{
		Dialects: all.Hooks(), Mailbox: mailbox.New(), Log: slog.New(slog.DiscardHandler),
		Metrics: obs.NewHookMetrics(prometheus.NewRegistry(), nil, nil),
		Look: func(*hook.Event) *sessionevents.WorkspaceObserved {
			close(looking)
			<-looked
			return nil
		},
	})
	h.Attach(records)
	asked(t, h, "Stop")
	<-looking
	asked(t, h, "UserPromptSubmit")
	asked(t, h, "PreToolUse")
	close(looked)
	names := func() (out []string) {
		records.mu.Lock()
		defer records.mu.Unlock()
		for _, e := range records.kept {
			if received, is := e.Data.(*sessionevents.HookReceived); is {
				out = append(out, received.Event)
			}
		}
		return out
	}
	require.Eventually(t, func() bool { return len(names()) == 3 }, time.Minute, time.Millisecond)
	require.Equal(t, "Stop", names()[0])
	require.Eventually(t, func() bool {
		h.responses.mu.Lock()
		defer h.responses.mu.Unlock()
		return len(h.responses.pending) == 0
	}, time.Minute, time.Millisecond, "nothing is remembered once it is recorded")
}
