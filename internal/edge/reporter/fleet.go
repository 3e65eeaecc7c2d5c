package reporter

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
)

// notOpen is shown while the read model is not open.
const notOpen = "the read model is not open yet"

// sendFleet answers with the fleet report: ?since=7d&until=2026-01-31&format=html.
func (r *reporter) sendFleet(w http.ResponseWriter, q *http.Request) {
	query := q.URL.Query()
	form := cmp.Or(query.Get("format"), "json")
	kind, known := formats[form]
	if !known {
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
	answer(w, form, kind, fleetreport.Report(m))
}

// totals returns the metrics of interrupts (DP-21); none while the model is not open.
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
