package obs

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// others is the value of a label for everything outside its set.
const others = "other"

// Label is a label of a metric: a name and the closed set of its values. Any other value, such as text that
// a publisher chose, counts as "other", so the number of series is known before the first event. This is
// the only file that passes values to Prometheus (TestLabelsComeFromClosedSets).
type Label struct {
	name   string
	values map[string]bool
}

// NewLabel returns a label with its values; empty ones are allowed.
func NewLabel[T ~string](name string, values ...T) Label {
	l := Label{name, map[string]bool{"": true}}
	for _, v := range values {
		l.values[string(v)] = true
	}
	return l
}

// value returns v if it is in the set, otherwise "other".
func (l Label) value(v string) string {
	if l.values[v] {
		return v
	}
	return others
}

// labels are the labels of one metric, in order.
type labels []Label

func (l labels) names() []string {
	names := make([]string, len(l))
	for i := range l {
		names[i] = l[i].name
	}
	return names
}

func (l labels) valuesOf(given []string) []string {
	out := slices.Clone(given)
	for i := range out {
		out[i] = l[i].value(out[i])
	}
	return out
}

// counters is a counter with labels.
type counters struct {
	vec    *prometheus.CounterVec
	labels labels
}

func newCounters(r prometheus.Registerer, o prometheus.CounterOpts, of ...Label) counters {
	c := counters{prometheus.NewCounterVec(o, labels(of).names()), of}
	r.MustRegister(c.vec)
	return c
}

// add adds n, unless it is negative.
func (c counters) add(n int, values ...string) {
	c.vec.WithLabelValues(c.labels.valuesOf(values)...).Add(float64(max(0, n)))
}

func (c counters) inc(values ...string) { c.vec.WithLabelValues(c.labels.valuesOf(values)...).Inc() }

// histograms is a histogram with labels.
type histograms struct {
	vec    *prometheus.HistogramVec
	labels labels
}

func newHistograms(r prometheus.Registerer, o prometheus.HistogramOpts, of ...Label) histograms {
	h := histograms{prometheus.NewHistogramVec(o, labels(of).names()), of}
	r.MustRegister(h.vec)
	return h
}

func (h histograms) observe(v float64, values ...string) {
	h.vec.WithLabelValues(h.labels.valuesOf(values)...).Observe(v)
}

// description describes a metric that is collected at each scrape.
type description struct {
	desc   *prometheus.Desc
	typ    prometheus.ValueType
	labels labels
}

func describe(name, help string, typ prometheus.ValueType, of ...Label) description {
	return description{prometheus.NewDesc(name, help, labels(of).names(), nil), typ, of}
}

func (d description) metric(v float64, values ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(d.desc, d.typ, v, d.labels.valuesOf(values)...)
}

// info registers a gauge that is always 1, with label values that the build fixes.
func info(r prometheus.Registerer, name, help string, values prometheus.Labels) {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: values})
	g.Set(1)
	r.MustRegister(g)
}
