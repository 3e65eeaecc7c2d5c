package obs

import "github.com/prometheus/client_golang/prometheus"

// InterruptTotal is the number of interrupts of a detector with an outcome.
type InterruptTotal struct {
	Detector, Outcome string
	Count             int64
}

// InterruptMetrics reports the outcomes of interrupts (DP-21), collected at each scrape. Sessions
// are never labels.
type InterruptMetrics struct {
	totals func() []InterruptTotal
	about  description
}

var _ prometheus.Collector = (*InterruptMetrics)(nil)

// NewInterruptMetrics registers the metric; totals must never decrease while the
// process runs and may be called at any time.
func NewInterruptMetrics(r prometheus.Registerer, detectors []string, totals func() []InterruptTotal) *InterruptMetrics {
	m := &InterruptMetrics{totals: totals, about: describe(
		"scaffoldwatch_interrupts_total",
		"Interrupts by detector and outcome: fired, emitted, delivered, acked, heeded, ignored, dismissed, expired, unsupported; an interrupt counts once for each it came to.",
		prometheus.CounterValue, NewLabel("detector", detectors...), NewLabel("outcome", outcomes...),
	)}
	r.MustRegister(m)
	return m
}

// Describe implements prometheus.Collector.
func (m *InterruptMetrics) Describe(to chan<- *prometheus.Desc) { to <- m.about.desc }

// Collect implements prometheus.Collector. Values outside of the sets share one series, so they are added
// up first.
func (m *InterruptMetrics) Collect(to chan<- prometheus.Metric) {
	sums := map[[2]string]int64{}
	for _, t := range m.totals() {
		values := m.about.labels.valuesOf([]string{t.Detector, t.Outcome})
		sums[[2]string(values)] += t.Count
	}
	for values, n := range sums {
		to <- m.about.metric(float64(n), values[:]...)
	}
}
