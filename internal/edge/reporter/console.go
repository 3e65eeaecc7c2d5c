package reporter

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
)

const (
	// consoleRows is how many sessions, and how many runs that wait, the page lists.
	consoleRows = 100
	// consoleEvery is how many seconds a browser shows the page before it asks again.
	consoleEvery = "10"
)

// sendConsole answers with the page of who needs a person and what the agents do (CO-10).
func (r *reporter) sendConsole(w http.ResponseWriter, q *http.Request) {
	model := r.opened()
	if model == nil {
		http.Error(w, notOpen, http.StatusServiceUnavailable)
		return
	}
	m, err := consoleOf(q.Context(), model, time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	var text bytes.Buffer
	if err := console.Render(&text, m); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", page.ContentPolicy+"; frame-ancestors 'none'")
	h.Set("Content-Type", formats["html"])
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Refresh", consoleEvery) // without a script
	_, _ = w.Write(text.Bytes())
}

func consoleOf(ctx context.Context, model *readmodel.Model, now time.Time) (m console.Model, err error) {
	m = console.Model{Now: now, Zone: time.Local}
	limit := readmodel.Page{Limit: consoleRows}
	if m.Sessions, err = model.SessionsPage(ctx, limit); err != nil {
		return m, err
	}
	if m.Total, err = model.CountSessions(ctx); err != nil {
		return m, err
	}
	if m.Runs, err = model.CountRuns(ctx, runlist.Filter{}); err != nil {
		return m, err
	}
	for _, filter := range []runlist.Filter{{Waiting: true}, {State: string(runevents.ControlHalted)}, {State: string(runevents.ControlPaused)}} {
		runs, err := model.Runs(ctx, filter, limit)
		if err != nil {
			return m, err
		}
		for _, one := range runs {
			if !slices.ContainsFunc(m.Waiting, func(o runlist.Run) bool { return o.ID == one.ID }) {
				m.Waiting = append(m.Waiting, one)
			}
		}
	}
	return m, nil
}
