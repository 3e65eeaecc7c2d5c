package obs

import "github.com/prometheus/client_golang/prometheus"

// AnchorFailures registers the counter of anchors that could not be written everywhere.
func AnchorFailures(r prometheus.Registerer) prometheus.Counter {
	failures := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "scaffoldwatch_anchor_failures_total", Help: "Anchors that could not be made, or not be written to every configured place.",
	})
	r.MustRegister(failures)
	return failures
}
