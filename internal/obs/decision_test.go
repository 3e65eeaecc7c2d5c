package obs

import (
	"io"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Every decision's reason reaches a metric; forwarded events do not.
func TestDecisionMetrics(t *testing.T) {
	r := prometheus.NewRegistry()
	m, listens := StageObserver(r, "dispatcher", slog.New(slog.NewTextHandler(io.Discard, nil)), func(error) {}).(engine.Listener)
	require.True(t, listens)
	var list []events.Event
	for _, d := range []struct {
		typ  events.Type
		data any
	}{
		{events.TypeSignalLogged, &events.Disposition{Detector: "C1", Code: "below_queue", Reason: "urgency 0.5 is below 2.0"}},
		{events.TypeSignalLogged, &events.Disposition{Detector: "C1", Code: "below_queue", Reason: "urgency 1.5 is below 2.0"}},
		{events.TypeSignalSuppressed, &events.Disposition{Detector: "B1", Code: "muted"}},
		{events.TypeInterruptQueued, &events.InterruptQueued{Detector: "A1", Reason: "cooldown"}},
		{events.TypeInterruptFired, &events.InterruptFired{Detector: "B1", UrgencyLabel: "B1-ESCALATE"}},
		{events.TypeInterruptFired, &events.InterruptFired{Detector: "A1", UrgencyLabel: "2.4", FromQueue: true}},
		{events.TypeInterruptFired, &events.InterruptFired{Detector: "A1", UrgencyLabel: "4.0"}},
		{events.TypeInterruptFired, &events.InterruptFired{Layer: events.LayerWave, Detector: "SAW-COMMIT-MAIN", UrgencyLabel: "WP-4"}},
		{events.TypeInterruptDelivery, &events.InterruptDelivery{State: events.DeliveryHeeded}},
		{events.TypeBudgetExhausted, &events.BudgetExhausted{Queued: 1}},
	} {
		list = append(list, events.Event{Source: step.Source("dispatcher"), Type: d.typ, Data: d.data})
	}
	list = append(list, events.Event{Source: "/hook", Type: events.TypeInterruptDelivery, Data: &events.InterruptDelivery{State: events.DeliveryEmitted}})
	m.Derived(list)
	require.Equal(t, map[string]float64{
		"logged C1 below_queue": 2, "suppressed B1 muted": 1, "queued A1 cooldown": 1, "fired B1 escalated": 1,
		"fired A1 from_queue": 1, "fired A1 at_once": 1, "fired SAW-COMMIT-MAIN wave": 1, "heeded  judged": 1,
	}, counts(t, r, "scaffoldwatch_decisions_total"))
}

// The other stages decide nothing.
func TestOnlyTheDispatcherDecides(t *testing.T) {
	_, listens := StageObserver(prometheus.NewRegistry(), "evaluator", slog.New(slog.NewTextHandler(io.Discard, nil)), func(error) {}).(engine.Listener)
	require.False(t, listens)
}
