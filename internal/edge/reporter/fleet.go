package reporter

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
)

// notOpen is said while the read model is not there.
const notOpen = "the read model is not open yet"

// fleetForms are the fleet report's forms over HTTP.
var fleetForms = map[string]struct {
	kind   string
	render func(io.Writer, fleetreport.Model) error
}{
	"":     {"application/json", fleetreport.RenderJSON},
	"json": {"application/json", fleetreport.RenderJSON},
	"md":   {"text/markdown; charset=utf-8", fleetreport.RenderMarkdown},
	"html": {"text/html; charset=utf-8", fleetreport.RenderHTML},
}

// sendFleet answers with the fleet report: ?since=7d&until=2026-01-31&format=html.
func (r *reporter) sendFleet(w http.ResponseWriter, q *http.Request) {
	query := q.URL.Query()
	form, ok := fleetForms[query.Get("format")]
	if !ok {
		http.Error(w, "format takes json, md or html", http.StatusBadRequest)
		return
	}
	period, err := fleetreport.ParsePeriod(query.Get("since"), query.Get("until"), time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	model := r.opened()
	if model == nil {
		http.Error(w, notOpen, http.StatusServiceUnavailable)
		return
	}
	m, err := model.Fleet(q.Context(), period, r.titles)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", form.kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_ = form.render(w, m)
}

// totals are what the metrics tell of interrupts (DP-21); none while the model is
// not open.
func (r *reporter) totals() []obs.InterruptTotal {
	model := r.opened()
	if model == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	list, err := model.Totals(ctx)
	if err != nil {
		r.log.Warn("interrupts are not in the metrics", "error", err)
		return nil
	}
	out := make([]obs.InterruptTotal, len(list))
	for i, t := range list {
		out[i] = obs.InterruptTotal(t)
	}
	return out
}
