package obs

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

// counts returns the values of a counter by its labels' values, in order of their names.
func counts(t *testing.T, r prometheus.Gatherer, name string) map[string]float64 {
	families, err := r.Gather()
	require.NoError(t, err)
	out := map[string]float64{}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			key := ""
			for i, label := range m.GetLabel() {
				if i > 0 {
					key += " "
				}
				key += label.GetValue()
			}
			out[key] = m.GetCounter().GetValue()
		}
	}
	return out
}

func TestPreflightMetrics(t *testing.T) {
	r := prometheus.NewRegistry()
	m := NewPreflightMetrics(r, []string{"RW-33"})
	m.Answered("allow", "", "", time.Millisecond)
	m.Answered("deny", "halt", "RW-33", time.Millisecond)
	m.Answered("deny", "halt", "RW-33", time.Millisecond)
	require.Equal(t, map[string]float64{" allow ": 1, "halt deny RW-33": 2}, counts(t, r, "scaffoldwatch_preflight_answers_total"))
}
