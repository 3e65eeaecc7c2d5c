package reporter

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const (
	// consoleRows is how many sessions, and how many runs that wait, the page lists.
	consoleRows = 100
	// consoleWords is how many words to agents, and how many answers of the guard, it lists.
	consoleWords = 10
	// wordsWithin is how old a word of a session that has ended may be.
	wordsWithin = 24 * time.Hour
	// tickEvery is the least time between two news of a page.
	tickEvery = 200 * time.Millisecond
)

// consoleRoutes are the page of who needs a person and what the agents do (CO-10), and its answers.
func (r *reporter) consoleRoutes() map[string]http.Handler {
	return map[string]http.Handler{
		"GET /{$}":            http.HandlerFunc(r.sendConsole),
		"GET /console.js":     http.HandlerFunc(sendScript),
		"GET /console/events": http.HandlerFunc(r.tick),
		"GET /answer":         http.HandlerFunc(r.askReason),
		"POST /act":           http.HandlerFunc(r.act),
	}
}

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
	if key := q.URL.Query().Get("key"); r.answers.accept(key) {
		m.Key = key
	}
	sendPart(w, http.StatusOK, func(text *bytes.Buffer) error { return console.Render(text, m) })
}

// sendPart answers with a page that has forms.
func sendPart(w http.ResponseWriter, status int, render func(*bytes.Buffer) error) {
	var text bytes.Buffer
	if err := render(&text); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", page.LivePolicy+"; frame-ancestors 'none'")
	h.Set("Content-Type", formats["html"])
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // the address has the key; without any the origin of a form would be null
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

func sendScript(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write([]byte(console.Script))
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
	if m.Words, err = model.UnansweredInterrupts(ctx, "", now.Add(-wordsWithin), consoleWords); err != nil {
		return m, err
	}
	if m.Prevented, err = model.Prevented(ctx, consoleWords); err != nil {
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

// tick sends a page word that something was decided, at most every [tickEvery].
func (r *reporter) tick(w http.ResponseWriter, q *http.Request) {
	r.follow(w, func(listener <-chan events.Event, flush func()) {
		var last time.Time
		var due <-chan time.Time
		for {
			select {
			case <-q.Context().Done():
				return
			case <-listener:
				if due == nil {
					due = time.After(max(0, tickEvery-time.Since(last)))
				}
			case <-due:
				last, due = time.Now(), nil
				_, _ = w.Write([]byte("data: decided\n\n"))
				flush()
			}
		}
	})
}
