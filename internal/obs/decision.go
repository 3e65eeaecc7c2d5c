package obs

import (
	"log/slog"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// StageObserver registers the metrics of a stage, [NewStageMetrics], and for a dispatcher also those of its
// decisions. The observer records both.
func StageObserver(r prometheus.Registerer, name string, detectors []string, log *slog.Logger, healthy func(error)) (engine.Observer, *StageMetrics) {
	m := NewStageMetrics(r, name, log, healthy)
	if name != budget.StageName {
		return m, m
	}
	return deciding{m, NewDecisionMetrics(r, detectors)}, m
}

// deciding observes a stage that decides.
type deciding struct {
	*StageMetrics
	decisions *DecisionMetrics
}

// Listener implements [engine.Observer].
func (d deciding) Listener() func([]events.Event) { return d.decisions.Derived }

// DecisionMetrics counts a dispatcher's decisions, with the reason of every "no" (DP-18).
type DecisionMetrics struct{ decisions, refused counters }

// NewDecisionMetrics registers the metrics; detectors are the possible values of their label.
func NewDecisionMetrics(r prometheus.Registerer, detectors []string) *DecisionMetrics {
	return &DecisionMetrics{
		decisions: newCounters(
			r, prometheus.CounterOpts{Name: "scaffoldwatch_decisions_total", Help: "Decisions of the dispatcher by detector, decision and reason."},
			NewLabel("detector", detectors...), NewLabel("decision", decisions...), NewLabel("reason", reasons()...),
		),
		refused: newCounters(
			r, prometheus.CounterOpts{Name: "scaffoldwatch_refused_events_total", Help: "Events that were rejected on arrival and are not watched, by type and reason."},
			NewLabel("type", eventTypes()...), NewLabel("code", refusals...),
		),
	}
}

// Derived counts the decisions among the written events; forwarded events do not count.
func (m *DecisionMetrics) Derived(list []events.Event) {
	for i := range list {
		if d, is := list[i].Data.(*sessionevents.InputRefused); is {
			m.refused.inc(d.EventType, d.Code)
		}
		if list[i].Source != step.Source(budget.StageName) {
			continue
		}
		if detector, decision, reason := decided(&list[i]); decision != "" {
			m.decisions.inc(detector, decision, reason)
		}
	}
}

// decided returns a decision's labels: few values each, never text of a session.
func decided(ev *events.Event) (detector, decision, reason string) {
	switch d := ev.Data.(type) {
	case *sessionevents.Disposition:
		return d.Detector, strings.TrimPrefix(string(ev.Type), "signal."), string(d.Code)
	case *sessionevents.InterruptQueued:
		return d.Detector, "queued", string(d.Reason)
	case *sessionevents.InterruptFired:
		return d.Detector, "fired", firedWhy(d)
	case *sessionevents.InterruptDelivery:
		return "", string(d.State), "judged"
	}
	return "", "", ""
}

func firedWhy(d *sessionevents.InterruptFired) string {
	switch {
	case d.Layer != "" && d.Layer != sessionevents.LayerSession:
		return string(d.Layer) // outside the budget
	case d.FromQueue:
		return "from_queue"
	case strings.HasSuffix(d.UrgencyLabel, "-ESCALATE"):
		return "escalated"
	default:
		return "at_once"
	}
}
