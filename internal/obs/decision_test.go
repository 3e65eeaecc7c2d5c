package obs

import (
	"io"
	"log/slog"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Every decision's reason reaches a metric; forwarded events do not.
func TestDecisionMetrics(t *testing.T) {
	r := prometheus.NewRegistry()
	observer, _ := StageObserver(r, "dispatcher", Detectors(rules.Default()), slog.New(slog.NewTextHandler(io.Discard, nil)), func(error) {})
	derived := observer.Listener()
	require.NotNil(t, derived)
	var list []events.Event
	for _, d := range []struct {
		typ  events.Type
		data any
	}{
		{sessionevents.TypeSignalLogged, &sessionevents.Disposition{Detector: "C1", Code: "below_queue", Reason: "urgency 0.5 is below 2.0"}},
		{sessionevents.TypeSignalLogged, &sessionevents.Disposition{Detector: "C1", Code: "below_queue", Reason: "urgency 1.5 is below 2.0"}},
		{sessionevents.TypeSignalSuppressed, &sessionevents.Disposition{Detector: "B1", Code: "muted"}},
		{sessionevents.TypeInterruptQueued, &sessionevents.InterruptQueued{Detector: "A1", Reason: "cooldown"}},
		{sessionevents.TypeInterruptFired, &sessionevents.InterruptFired{Detector: "B1", UrgencyLabel: "B1-ESCALATE"}},
		{sessionevents.TypeInterruptFired, &sessionevents.InterruptFired{Detector: "A1", UrgencyLabel: "2.4", FromQueue: true}},
		{sessionevents.TypeInterruptFired, &sessionevents.InterruptFired{Detector: "A1", UrgencyLabel: "4.0"}},
		{sessionevents.TypeInterruptFired, &sessionevents.InterruptFired{Layer: sessionevents.LayerWave, Detector: "SAW-COMMIT-MAIN", UrgencyLabel: "WP-4"}},
		{sessionevents.TypeInterruptDelivery, &sessionevents.InterruptDelivery{State: sessionevents.DeliveryHeeded}},
		{sessionevents.TypeBudgetExhausted, &sessionevents.BudgetExhausted{Queued: 1}},
	} {
		list = append(list, events.Event{Source: step.Source("dispatcher"), Type: d.typ, Data: d.data})
	}
	list = append(list, events.Event{Source: "/hook", Type: sessionevents.TypeInterruptDelivery, Data: &sessionevents.InterruptDelivery{State: sessionevents.DeliveryEmitted}})
	derived(list)
	require.Equal(t, map[string]float64{
		"logged C1 below_queue": 2, "suppressed B1 muted": 1, "queued A1 cooldown": 1, "fired B1 escalated": 1,
		"fired A1 from_queue": 1, "fired A1 at_once": 1, "fired SAW-COMMIT-MAIN wave": 1, "heeded  judged": 1,
	}, counts(t, r, "scaffoldwatch_decisions_total"))
}

// The other stages decide nothing.
func TestOnlyTheDispatcherDecides(t *testing.T) {
	observer, _ := StageObserver(prometheus.NewRegistry(), "evaluator", nil, slog.New(slog.NewTextHandler(io.Discard, nil)), func(error) {})
	require.Nil(t, observer.Listener())
}

// DP-33: what was refused is counted by type and fault; a publisher's own words are no label.
func TestRefusedEventsAreCounted(t *testing.T) {
	r := prometheus.NewRegistry()
	observer, _ := StageObserver(r, "dispatcher", Detectors(rules.Default()), slog.New(slog.NewTextHandler(io.Discard, nil)), func(error) {})
	derived := observer.Listener()
	for _, typ := range []string{sessionevents.TypeTurnRaw, sessionevents.TypeTurnRaw, "made.up"} {
		derived([]events.Event{{Source: step.Source("ingest"), Type: sessionevents.TypeInputRefused, Data: &sessionevents.InputRefused{EventType: typ, Code: "missing_field"}}})
	}
	require.Equal(t, map[string]float64{"missing_field turn.raw": 2, "missing_field other": 1}, counts(t, r, "scaffoldwatch_refused_events_total"))
}
