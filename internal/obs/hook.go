package obs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// HookMetrics counts the calls of agents' hooks and their answers.
type HookMetrics struct {
	seconds    *prometheus.HistogramVec
	interrupts *prometheus.CounterVec
	halts      *prometheus.CounterVec
	failures   *prometheus.CounterVec
}

// NewHookMetrics registers the metrics.
func NewHookMetrics(r prometheus.Registerer) *HookMetrics {
	m := &HookMetrics{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "scaffoldwatch_hook_seconds", Help: "Time to answer a call of an agent's hook.",
			Buckets: []float64{.001, .0025, .005, .01, .02, .03, .04, .05, .075, .1, .25, 1},
		}, []string{"agent", "point"}),
		interrupts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scaffoldwatch_hook_interrupts_total", Help: "Interrupts put before agents through their hooks.",
		}, []string{"agent"}),
		halts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scaffoldwatch_hook_halts_total", Help: "Hook calls answered with a halt.",
		}, []string{"agent"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "scaffoldwatch_hook_failures_total", Help: "Hook calls that were not recorded; the agent went on.",
		}, []string{"agent"}),
	}
	r.MustRegister(m.seconds, m.interrupts, m.halts, m.failures)
	return m
}

// Answered notes one call.
func (m *HookMetrics) Answered(agent, point string, took time.Duration, interrupted, halted bool) {
	m.seconds.WithLabelValues(agent, point).Observe(took.Seconds())
	if interrupted {
		m.interrupts.WithLabelValues(agent).Inc()
	}
	if halted {
		m.halts.WithLabelValues(agent).Inc()
	}
}

// Failed notes a call that could not be recorded.
func (m *HookMetrics) Failed(agent string) { m.failures.WithLabelValues(agent).Inc() }
