package monitoring

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

type (
	source struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	target struct {
		Expr   string `json:"expr"`
		Legend string `json:"legendFormat"`
		Ref    string `json:"refId"`
	}
	grid struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}
	panel struct {
		ID          int      `json:"id"`
		Type        string   `json:"type"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Source      source   `json:"datasource"`
		Grid        grid     `json:"gridPos"`
		Targets     []target `json:"targets"`
	}
)

// Dashboard returns the dashboard: one panel for each metric of the catalogue.
func Dashboard() ([]byte, error) {
	prometheus := source{"prometheus", "${datasource}"}
	var panels []panel
	for i, m := range obs.Catalogue() {
		title := strings.ReplaceAll(strings.TrimPrefix(m.Name, "scaffoldwatch_"), "_", " ")
		panels = append(panels, panel{
			ID: i + 1, Type: "timeseries", Title: title, Description: m.Help, Source: prometheus,
			Grid: grid{H: 8, W: 8, X: i % 3 * 8, Y: i / 3 * 8}, Targets: queries(m),
		})
	}
	text, err := json.MarshalIndent(map[string]any{
		"uid": "scaffoldwatch", "title": "scaffoldwatch", "schemaVersion": 39, "version": 1, "editable": true, "refresh": "30s",
		"tags": []string{"scaffoldwatch"}, "time": map[string]string{"from": "now-6h", "to": "now"},
		"templating": map[string]any{"list": []any{map[string]any{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"}}},
		"panels":     panels,
	}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode the dashboard: %w", err)
	}
	return append(text, '\n'), nil
}

// queries returns what a panel shows of a metric: rates of counters, quantiles of histograms, gauges as
// they are.
func queries(m obs.Metric) []target {
	legend := "{{instance}}"
	if len(m.Labels) > 0 {
		legend = "{{" + strings.Join(m.Labels, "}} {{") + "}}"
	}
	by := strings.Join(m.Labels, ", ")
	switch {
	case m.Histogram:
		var list []target
		for i, q := range []string{"0.5", "0.99"} {
			within := strings.TrimSuffix("le, "+by, ", ")
			list = append(list, target{fmt.Sprintf("histogram_quantile(%s, sum by (%s) (rate(%s_bucket[$__rate_interval])))", q, within, m.Name), legend + " " + q, string(rune('A' + i))})
		}
		return list
	case m.Name == "scaffoldwatch_interrupts_total": // each reporter exports all
		return []target{{fmt.Sprintf("max by (%s) (%s)", by, m.Name), legend, "A"}}
	case strings.HasSuffix(m.Name, "_total") && by == "":
		return []target{{fmt.Sprintf("sum(rate(%s[$__rate_interval]))", m.Name), legend, "A"}}
	case strings.HasSuffix(m.Name, "_total"):
		return []target{{fmt.Sprintf("sum by (%s) (rate(%s[$__rate_interval]))", by, m.Name), legend, "A"}}
	}
	return []target{{m.Name, legend, "A"}}
}
