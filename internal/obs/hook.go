package obs

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// HookMetrics counts the calls of agents' hooks and their answers.
type HookMetrics struct {
	seconds    histograms
	interrupts counters
	halts      counters
	failures   counters
}

// NewHookMetrics registers the metrics; agents and points are the possible values of their labels.
func NewHookMetrics(r prometheus.Registerer, agents, points []string) *HookMetrics {
	agent := NewLabel("agent", agents...)
	counter := func(name, help string) counters {
		return newCounters(r, prometheus.CounterOpts{Name: "scaffoldwatch_hook_" + name, Help: help}, agent)
	}
	return &HookMetrics{
		seconds: newHistograms(r, prometheus.HistogramOpts{
			Name: "scaffoldwatch_hook_seconds", Help: "Time to answer a call of an agent's hook.",
			Buckets: []float64{.001, .0025, .005, .01, .02, .03, .04, .05, .075, .1, .25, 1},
		}, agent, NewLabel("point", points...)),
		interrupts: counter("interrupts_total", "Interrupts delivered to agents through their hooks."),
		halts:      counter("halts_total", "Hook calls answered with a halt."),
		failures:   counter("failures_total", "Hook calls that were not recorded; the agent continued."),
	}
}

// Answered records one call.
func (m *HookMetrics) Answered(agent, point string, took time.Duration, interrupted, halted bool) {
	m.seconds.observe(took.Seconds(), agent, point)
	if interrupted {
		m.interrupts.inc(agent)
	}
	if halted {
		m.halts.inc(agent)
	}
}

// Failed records a call that could not be recorded.
func (m *HookMetrics) Failed(agent string) { m.failures.inc(agent) }
