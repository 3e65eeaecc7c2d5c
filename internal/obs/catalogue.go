package obs

import (
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// Metric is one entry of the catalogue.
type Metric struct {
	Name, Help string
	Labels     []string // labels that vary, and "stage"
	Histogram  bool
}

// Catalogue returns the metrics of all services, sorted by name. Dashboard, alerts and documentation are
// checked against it.
func Catalogue() []Metric {
	described := regexp.MustCompile(`fqName: "(scaffoldwatch_\w+)", help: "([^"]*)", unit: "[^"]*", constLabels: \{(\w*)[^}]*\}, variableLabels: \{([^}]*)\}`)
	// Suffixes of histograms: a description does not reveal the kind of a metric.
	histogram := regexp.MustCompile(`_(rebuild|fold|commit|input_age|preflight|hook|advisor)_seconds$|_batch_inputs$`)
	r := Registry("v", "r")
	log := slog.New(slog.DiscardHandler)
	NewReaderMetrics(r, log)
	NewStageMetrics(r, "ingest", log, func(error) {})
	NewDecisionMetrics(r, nil)
	NewHookMetrics(r, nil, nil)
	NewPreflightMetrics(r, nil)
	NewAdvisorMetrics(r, nil, func() bool { return false })
	AnchorFailures(r)
	NewInterruptMetrics(r, nil, nil)
	NewVitalsMetrics(r, topology.Topology{})
	Ready(r, func() bool { return true })
	descriptions := make(chan *prometheus.Desc, 1000)
	r.Describe(descriptions)
	close(descriptions)
	var list []Metric
	for d := range descriptions {
		m := described.FindStringSubmatch(d.String())
		if m == nil {
			continue
		}
		metric := Metric{Name: m[1], Help: m[2], Histogram: histogram.MatchString(m[1])}
		if m[3] == "stage" {
			metric.Labels = append(metric.Labels, m[3])
		}
		if m[4] != "" {
			metric.Labels = append(metric.Labels, strings.Split(m[4], ",")...)
		}
		list = append(list, metric)
	}
	slices.SortFunc(list, func(a, b Metric) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Ready registers whether /readyz answers 200.
func Ready(r prometheus.Registerer, ready func() bool) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "scaffoldwatch_ready", Help: "1 while /readyz answers 200.",
	}, func() float64 {
		if ready() {
			return 1
		}
		return 0
	}))
}
