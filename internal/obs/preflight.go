package obs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// PreflightMetrics counts the answers to harnesses that ask before a tool runs (DP-24).
type PreflightMetrics struct {
	answers   counters
	prevented counters
	seconds   prometheus.Histogram
}

// NewPreflightMetrics registers the metrics; rules are the possible values of their label.
func NewPreflightMetrics(r prometheus.Registerer, rules []string) *PreflightMetrics {
	class := NewLabel(
		"class", sessionevents.HookSelfRelease, sessionevents.HookHalt, sessionevents.HookSecurity, sessionevents.HookCommitToMain,
		sessionevents.HookDestructive,
	)
	m := &PreflightMetrics{
		answers: newCounters(
			r, prometheus.CounterOpts{Name: "scaffoldwatch_preflight_answers_total", Help: "Answers to harnesses that ask before a tool runs, by decision, class and rule."},
			NewLabel("decision", sessionevents.HookAllow, sessionevents.HookWarn, sessionevents.HookDeny),
			class,
			NewLabel("rule", rules...),
		),
		prevented: newCounters(
			r, prometheus.CounterOpts{Name: "scaffoldwatch_prevented_total", Help: "Tool calls that the guard denied, warned of, allowed after a snapshot, or by a person's word."},
			NewLabel("outcome", sessionevents.GuardDenied, sessionevents.GuardKept, sessionevents.GuardWarned, sessionevents.GuardAllowed), class,
		),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "scaffoldwatch_preflight_seconds", Help: "Time of one such answer.", Buckets: prometheus.ExponentialBuckets(0.0001, 2, 12),
		}),
	}
	r.MustRegister(m.seconds)
	return m
}

// Answered counts one answer and the time it took.
func (m *PreflightMetrics) Answered(decision, class, rule string, took time.Duration) {
	m.answers.inc(decision, class, rule)
	m.seconds.Observe(took.Seconds())
}

// Prevented counts a call that was denied, warned about, secured first or let through by a person (GD-21).
func (m *PreflightMetrics) Prevented(outcome, class string) { m.prevented.inc(outcome, class) }
