package obs

import "github.com/prometheus/client_golang/prometheus"

// InterruptTotal is how many interrupts of a detector came to an outcome.
type InterruptTotal struct {
	Detector, Outcome string
	Count             int64
}

// InterruptMetrics reports the outcomes of interrupts (DP-21), collected at each scrape. Sessions
// are never labels.
type InterruptMetrics struct {
	totals func() []InterruptTotal
	about  *prometheus.Desc
}

var _ prometheus.Collector = (*InterruptMetrics)(nil)

// NewInterruptMetrics registers the metric; totals must never decrease while the
// process runs and may be called at any time.
func NewInterruptMetrics(r prometheus.Registerer, totals func() []InterruptTotal) *InterruptMetrics {
	m := &InterruptMetrics{totals: totals, about: prometheus.NewDesc(
		"scaffoldwatch_interrupts_total",
		"Interrupts by detector and outcome: fired, emitted, delivered, acked, heeded, ignored, dismissed, expired, unsupported; an interrupt counts once for each it came to.",
		[]string{"detector", "outcome"}, nil)}
	r.MustRegister(m)
	return m
}

// Describe is that of prometheus.Collector.
func (m *InterruptMetrics) Describe(to chan<- *prometheus.Desc) { to <- m.about }

// Collect is that of prometheus.Collector.
func (m *InterruptMetrics) Collect(to chan<- prometheus.Metric) {
	for _, t := range m.totals() {
		to <- prometheus.MustNewConstMetric(m.about, prometheus.CounterValue, float64(t.Count), t.Detector, t.Outcome)
	}
}
