package reporter

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/once"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/fleetreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

const (
	// latestRows is how many sessions, or runs, follow the more urgent ones.
	latestRows = 20
	// consoleRows is how many sessions, and how many pending runs, the page lists.
	consoleRows = 100
	// consoleWords is how many messages to agents, and how many answers of the guard, the page lists.
	consoleWords = 10
	// wordsWithin is the maximum age of a message whose session has ended.
	wordsWithin = 24 * time.Hour
	// tickEvery is the least time between two updates of a page.
	tickEvery = 100 * time.Millisecond
)

// views are the views of the page, and its answers.
type views struct {
	*source
	*listeners
	titles   map[string]string // titles of detectors by id
	answers  *Answers
	said     bool   // it may read what was said
	foot     string // footer of every view
	rules    console.Rules
	debt     readmodel.Debt // by the rules in force
	compared string         // file of the latest comparison of rules, "" for none
}

// routes returns the views of the page (CO-10 to CO-14), and its answers.
func (v *views) routes() map[string]http.Handler {
	return map[string]http.Handler{
		"GET /{$}":            v.view(v.sendNeeds),
		"GET /live":           v.view(v.sendLive),
		"GET /prevented":      v.view(v.sendPrevented),
		"GET /fleet":          v.view(v.sendFleetView),
		"GET /rules":          v.view(v.sendRules),
		"GET /sessions/{id}":  v.view(v.sendSession),
		"GET /runs/{id}":      v.view(v.sendRun),
		"GET /console.js":     static("text/javascript; charset=utf-8", console.Script),
		"GET /console.css":    static("text/css; charset=utf-8", console.Style),
		"GET /console/events": http.HandlerFunc(v.tick),
		"GET /answer":         http.HandlerFunc(v.askReason),
		"POST /act":           http.HandlerFunc(v.act),
	}
}

// asking is a request for a view, with what every view needs.
type asking struct {
	*http.Request
	model *readmodel.Model
	place console.Place
}

// notFound and badRequest are errors caused by the request.
type (
	notFound   struct{ error }
	badRequest struct{ error }
)

// view returns the handler of one view.
func (v *views) view(render func(*bytes.Buffer, asking) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		ask := asking{Request: q, model: v.awaited(q.Context()), place: console.Place{
			Now: time.Now(), Zone: time.Local, Foot: v.foot, Budget: v.rules.Budget, Lifting: once.Holds, Titles: v.titles,
		}}
		if ask.model == nil {
			http.Error(w, notOpen, http.StatusServiceUnavailable)
			return
		}
		if key := q.URL.Query().Get("key"); v.answers.person(key) != "" {
			ask.place.Key, ask.place.Machine = key, v.answers.Machine != nil
		} else if v.answers != nil {
			ask.place.Note = lacksKey
		} else {
			ask.place.Note = onlyShows
		}
		sendPart(w, http.StatusOK, func(text *bytes.Buffer) error { return render(text, ask) })
	})
}

// sendPart responds with a page that has forms.
func sendPart(w http.ResponseWriter, status int, render func(*bytes.Buffer) error) {
	var text bytes.Buffer
	if err := render(&text); err != nil {
		status := http.StatusInternalServerError
		switch {
		case errors.As(err, &notFound{}):
			status = http.StatusNotFound
		case errors.As(err, &badRequest{}):
			status = http.StatusBadRequest
		}
		http.Error(w, err.Error(), status)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", console.Policy+"; frame-ancestors 'none'")
	h.Set("Content-Type", formats["html"])
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // the address has the key; without any the origin of a form would be null
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// static responds with a part that all views share. Browsers revalidate it.
func static(kind, text string) http.Handler {
	sum := sha256.Sum256([]byte(text))
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		http.ServeContent(w, q, "", time.Time{}, strings.NewReader(text))
	})
}

func (v *views) sendNeeds(text *bytes.Buffer, ask asking) (err error) {
	ctx, m := ask.Context(), console.Model{Place: ask.place}
	if m.Sessions, m.Total, err = ask.model.FindSessions(
		ctx, readmodel.SessionFilter{}, readmodel.Page{Limit: latestRows},
	); err != nil {
		return err
	}
	if m.Runs, err = ask.model.CountRuns(ctx, runlist.Filter{}); err != nil {
		return err
	}
	if m.Words, err = ask.model.UnansweredInterrupts(ctx, "", m.Now.Add(-wordsWithin), consoleWords); err != nil {
		return err
	}
	if m.Prevented, err = ask.model.Prevented(ctx, consoleWords); err != nil {
		return err
	}
	if m.Waiting, err = waiting(ctx, ask.model); err != nil {
		return err
	}
	return console.Render(text, m)
}

// waiting returns the runs that need a person.
func waiting(ctx context.Context, model *readmodel.Model) (list []runlist.Run, err error) {
	for _, filter := range []runlist.Filter{
		{Waiting: true}, {State: string(runevents.ControlHalted)}, {State: string(runevents.ControlPaused)}, {Refused: true},
	} {
		runs, err := model.Runs(ctx, filter, readmodel.Page{Limit: consoleRows})
		if err != nil {
			return nil, err
		}
		for _, one := range runs {
			if !slices.ContainsFunc(list, func(o runlist.Run) bool { return o.ID == one.ID }) {
				list = append(list, one)
			}
		}
	}
	return list, nil
}

func (v *views) sendPrevented(text *bytes.Buffer, ask asking) (err error) {
	m := console.PreventedModel{Place: ask.place}
	if m.Prevented, err = ask.model.Prevented(ask.Context(), consoleRows); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, p := range m.Prevented {
		if known[p.Session] {
			continue
		}
		known[p.Session] = true
		s, ok, err := ask.model.Session(ask.Context(), p.Session)
		if err != nil {
			return err
		}
		if ok {
			m.Sessions = append(m.Sessions, s)
		}
	}
	return console.RenderPrevented(text, m)
}

func (v *views) sendLive(text *bytes.Buffer, ask asking) (err error) {
	ctx, m := ask.Context(), console.Live{Place: ask.place}
	query := ask.URL.Query()
	m.Filter, m.Board = console.ReadLive(query.Get)
	page := readmodel.Page{Limit: consoleRows + 1} // one more shows whether there is another page
	if m.After = query.Get("after"); m.After != "" {
		if page.After, err = readCursor(m.After); err != nil {
			return badRequest{err}
		}
	}
	if m.Sessions, m.Total, err = ask.model.FindSessions(ctx, m.Filter, page); err != nil {
		return err
	}
	if len(m.Sessions) > consoleRows {
		m.Sessions = m.Sessions[:consoleRows]
		last := &m.Sessions[consoleRows-1]
		m.Next = writeCursor(readmodel.Cursor{Last: last.Last, ID: last.Session})
	}
	if m.Standing, err = ask.model.Standings(ctx, m.Sessions, v.debt); err != nil {
		return err
	}
	if m.Board {
		if m.Waiting, err = waiting(ctx, ask.model); err != nil {
			return err
		}
	} else if m.After == "" && m.Filter == (readmodel.SessionFilter{}) {
		if m.Runs, err = ask.model.Runs(ctx, runlist.Filter{}, readmodel.Page{Limit: latestRows}); err != nil {
			return err
		}
	}
	return console.RenderLive(text, m)
}

// fleetDays is how many days the view of the fleet covers by default.
const fleetDays = "30d"

func (v *views) sendFleetView(text *bytes.Buffer, ask asking) error {
	m := console.Fleet{Place: ask.place, Since: cmp.Or(ask.URL.Query().Get("since"), fleetDays)}
	if m.Since == "all" {
		m.Since = ""
	}
	period, err := fleetreport.ParsePeriod(m.Since, "", m.Now)
	if err != nil {
		return badRequest{err}
	}
	if m.Report, err = ask.model.Fleet(ask.Context(), period, v.titles); err != nil {
		return err
	}
	return console.RenderFleet(text, m)
}

// tick notifies a page that something was decided, about the session or run ?of= if given, at most every
// [tickEvery].
func (v *views) tick(w http.ResponseWriter, q *http.Request) {
	of := q.URL.Query().Get("of")
	v.follow(w, func(listener <-chan events.Event, flush func()) {
		var last time.Time
		var due <-chan time.Time
		for {
			select {
			case <-q.Context().Done():
				return
			case e := <-listener:
				if of != "" && e.Subject != of && e.Group() != of {
					continue
				}
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

// maxChildren limits how many subagents the view of a session lists.
const maxChildren = 100

// unread replaces what was said if the service may not read it.
const unread = "What was said is not shown: this service reads only DECISIONS. The page of scaffoldwatch up shows it."

// sendSession writes the view of one session (CO-12).
func (v *views) sendSession(text *bytes.Buffer, ask asking) error {
	ctx, id := ask.Context(), ask.PathValue("id")
	broker, err := v.decided()
	if err != nil {
		return err
	}
	m := console.Session{Place: ask.place, From: 1}
	if from := ask.URL.Query().Get("from"); from != "" {
		if m.From, err = strconv.Atoi(from); err != nil || m.From < 1 {
			return badRequest{errors.New("from must be the number of a turn")}
		}
	}
	if m.Report, err = decisions.ReadReport(ctx, broker, id, v.reading.Alone()); err != nil {
		return missing(id, err)
	}
	if v.said {
		if m.Said, err = decisions.ReadSaid(ctx, broker, id); err != nil {
			return err
		}
	} else {
		m.Unheard = unread
	}
	if m.Children, err = ask.model.Subagents(ctx, id, maxChildren); err != nil {
		return err
	}
	told, err := ask.model.UnansweredInterrupts(ctx, id, m.Now, len(m.Report.Interrupts)+1)
	if err != nil {
		return err
	}
	m.Answered = map[string]bool{}
	for _, i := range m.Report.Interrupts {
		m.Answered[i.ID] = !slices.ContainsFunc(told, func(o readmodel.Interrupt) bool { return o.ID == i.ID })
	}
	if m.Report.Session.Run == "" {
		m.Waiting = needing(decisions.RunOf(ctx, broker, id))
	}
	return console.RenderSession(text, m)
}

// sendRun writes the view of one run (CO-13).
func (v *views) sendRun(text *bytes.Buffer, ask asking) error {
	ctx, id := ask.Context(), ask.PathValue("id")
	broker, err := v.decided()
	if err != nil {
		return err
	}
	m := console.Run{Place: ask.place}
	if m.Report, m.Events, err = decisions.ReadRun(ctx, broker, id, v.reading.Alone()); err != nil {
		return missing(id, err)
	}
	if m.Sessions, err = ask.model.GroupSessions(ctx, id); err != nil {
		return err
	}
	m.Waiting = needing(decisions.RunOf(ctx, broker, id))
	return console.RenderRun(text, m)
}

// needing returns the run that was read if it needs a person.
func needing(one runlist.Run, err error) []runlist.Run {
	if err != nil || one.Waits() == 0 && one.Break == nil && len(one.Refused) == 0 && one.State != runevents.ControlPaused {
		return nil
	}
	return []runlist.Run{one}
}

// missing turns an error for an unknown id into one that says so, and returns others unchanged.
func missing(id string, err error) error {
	if errors.Is(err, decisions.ErrNoSession) || errors.Is(err, decisions.ErrNoRun) || !events.ValidID(id) {
		return notFound{err}
	}
	return err
}
