package policy

import (
	"go/ast"
	"strings"
	"testing"
)

// vectors are the names in Prometheus's library by which a metric gets labels that vary.
var vectors = map[string]bool{
	"WithLabelValues": true, "GetMetricWithLabelValues": true, "GetMetricWith": true, "CurryWith": true, "NewCounterVec": true,
	"NewGaugeVec": true, "NewHistogramVec": true, "NewSummaryVec": true, "NewDesc": true, "NewConstMetric": true, "MustNewConstMetric": true,
	"NewConstHistogram": true, "MustNewConstHistogram": true, "NewConstSummary": true, "MustNewConstSummary": true, "NewUntypedFunc": true,
}

// A label's value is from a closed set: only internal/obs/labels.go hands values to
// Prometheus, and it replaces all others.
func TestLabelsComeFromClosedSets(t *testing.T) {
	found := 0
	for _, f := range repository(t).files {
		if f.test || strings.HasPrefix(f.folder, "test/") {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if !is || !vectors[s.Sel.Name] {
				return true
			}
			if found++; f.path != "internal/obs/labels.go" {
				t.Errorf("%s calls %s; make the metric by newCounters, newHistograms or describe of internal/obs/labels.go, with a NewLabel of all its values", f.path, s.Sel.Name)
			}
			return true
		})
	}
	if found == 0 {
		t.Error("internal/obs/labels.go makes no metric with labels; has it moved?")
	}
}
