package obs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// PreflightMetrics counts what harnesses that ask before a tool runs are
// answered (DP-24).
type PreflightMetrics struct {
	answers *prometheus.CounterVec
	seconds prometheus.Histogram
}

// NewPreflightMetrics registers the metrics.
func NewPreflightMetrics(r prometheus.Registerer) *PreflightMetrics {
	m := &PreflightMetrics{
		answers: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scaffoldwatch_preflight_answers_total", Help: "Answers to harnesses that ask before a tool runs, by decision, class and rule.",
		}, []string{"decision", "class", "rule"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "scaffoldwatch_preflight_seconds", Help: "Time of one such answer.", Buckets: prometheus.ExponentialBuckets(0.0001, 2, 12),
		}),
	}
	r.MustRegister(m.answers, m.seconds)
	return m
}

// Answered counts one answer and the time it took.
func (m *PreflightMetrics) Answered(decision, class, rule string, took time.Duration) {
	m.answers.WithLabelValues(decision, class, rule).Inc()
	m.seconds.Observe(took.Seconds())
}
