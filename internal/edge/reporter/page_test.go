package reporter

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// reading returns a reporter whose read model is open.
func reading(m *readmodel.Model) *reporter {
	r := newReporter(config.Reports{}, nil, nil, slog.New(slog.DiscardHandler))
	r.setModel(m)
	return r
}

// pagedReporter knows so many runs, every second one halted, and as many sessions.
func pagedReporter(t *testing.T, runs int) *reporter {
	t.Helper()
	model, err := readmodel.Open(t.Context(), readmodel.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, model.Close()) })
	var records []readmodel.Record
	add := func(run string, at int, typ events.Type, data any) {
		n := uint64(len(records) + 1)
		records = append(records, readmodel.Record{Sequence: n, Anchor: n, Event: events.Event{
			ID: fmt.Sprint("e", n), Type: typ, Subject: run, Time: time.Date(2026, 1, 5, 9, 0, at/3, 0, time.UTC), Data: data,
		}})
	}
	for i := range runs {
		add(fmt.Sprint("r", i), i, runevents.TypeRunStarted, &runevents.RunStarted{Project: "a b&c"})
		if i%2 == 0 {
			add(
				fmt.Sprint("r", i), i, runevents.TypeControlChanged,
				&runevents.ControlChanged{State: runevents.ControlHalted, Scope: runevents.ScopeRun, Break: "b"},
			)
		}
		add(fmt.Sprint("s", i), i, sessionevents.TypeSessionOpened, &sessionevents.SessionOpened{Session: fmt.Sprint("s", i)})
	}
	at, err := model.Position(t.Context())
	require.NoError(t, err)
	_, err = model.Apply(t.Context(), at, records)
	require.NoError(t, err)
	return reading(model)
}

func ask(t *testing.T, r *reporter, path string) *httptest.ResponseRecorder {
	t.Helper()
	mux := http.NewServeMux()
	for pattern, handler := range r.routes() {
		mux.Handle(pattern, handler)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return w
}

// Whoever follows the links sees each run once, the latest first.
func TestPagesOverHTTP(t *testing.T) {
	r := pagedReporter(t, 25)
	for path, total := range map[string]int{
		"/v1/runs?limit=4": 25, "/v1/runs?limit=5&state=halted&project=a+b%26c": 13, "/v1/sessions?limit=3": 25,
		"/v1/runs?limit=25": 25, "/v1/runs": 25,
	} {
		seen := map[string]bool{}
		last := time.Now().AddDate(1000, 0, 0)
		for next := path; next != ""; {
			w := ask(t, r, next)
			require.Equal(t, http.StatusOK, w.Code, w.Body.String())
			require.Equal(t, fmt.Sprint(total), w.Header().Get("X-Total-Count"))
			var list []struct {
				Run       string    `json:"run"`
				Session   string    `json:"session"`
				Last      time.Time `json:"last"`
				LastEvent time.Time `json:"last_event"`
			}
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &list))
			require.NotEmpty(t, list)
			for _, one := range list {
				at := one.Last
				if one.Session != "" {
					at = one.LastEvent
				}
				require.False(t, at.After(last))
				last = at
				require.False(t, seen[one.Run+one.Session], "twice")
				seen[one.Run+one.Session] = true
			}
			next, _, _ = strings.Cut(strings.TrimPrefix(w.Header().Get("Link"), "<"), ">")
		}
		require.Len(t, seen, total, path)
	}
}

func TestWrongPages(t *testing.T) {
	r := pagedReporter(t, 1)
	for query, says := range map[string]string{
		"limit=0": "limit must be 1 to 1000", "limit=1001": "limit must be", "limit=x": "limit must be", "after=%21": "after must be", "after=YQ": "after must be",
		"state=stopped": "state must be one of running, paused", "waiting=perhaps": "waiting must be true or false",
	} {
		w := ask(t, r, "/v1/runs?"+query)
		require.Equal(t, http.StatusBadRequest, w.Code, query)
		require.Contains(t, w.Body.String(), says)
	}
	require.Equal(t, "[]\n", ask(t, r, "/v1/runs?waiting=true").Body.String())
	require.Equal(t, http.StatusServiceUnavailable, ask(t, reading(nil), "/v1/runs").Code)
}

// CO-11, CO-15: with 5,000 sessions and as many runs every list is bounded, its parts follow each
// other without loss, and a search finds one of them.
func TestViewsOfThousands(t *testing.T) {
	const many = 5000
	r := pagedReporter(t, many)
	for _, path := range []string{"/", "/live", "/live?as=board", "/prevented", "/fleet"} {
		began := time.Now()
		w := ask(t, r, path)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		require.Less(t, w.Body.Len(), 130<<10, path)
		t.Logf("%s: %d KB in %s", path, w.Body.Len()>>10, time.Since(began).Round(time.Millisecond))
	}
	seen, path := map[string]bool{}, "/live"
	link := regexp.MustCompile(`href="/sessions/(s\d+)"`)
	next := regexp.MustCompile(`href="(/live\?[^"]+)">Earlier`)
	for path != "" {
		text := ask(t, r, path).Body.String()
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			require.False(t, seen[found[1]], "%s is listed twice", found[1])
			seen[found[1]] = true
		}
		path = ""
		if found := next.FindStringSubmatch(text); found != nil {
			path = html.UnescapeString(found[1])
		}
	}
	require.Len(t, seen, many)
	found := ask(t, r, "/live?q=S4321&state=open").Body.String()
	require.Contains(t, found, ">1 session.<")
	require.Contains(t, found, `href="/sessions/s4321"`)
	require.Contains(t, ask(t, r, "/live?q=s4321&state=closed").Body.String(), "No session matches.")
	require.Contains(t, ask(t, r, "/live?day=2026-01-04").Body.String(), "No session matches.")
	require.Equal(t, http.StatusBadRequest, ask(t, r, "/live?after=x").Code)
}

// Whoever opens the page a moment too early gets the page, not an error.
func TestThePageWaitsForTheModel(t *testing.T) {
	r := newReporter(config.Reports{}, nil, nil, slog.New(slog.DiscardHandler))
	answer, answered := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(answered)
		r.views.view(r.views.sendNeeds).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
	}()
	r.setModel(nil) // wakes it in vain
	model, err := readmodel.Open(t.Context(), readmodel.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, model.Close()) }()
	r.setModel(model)
	<-answered
	require.Equal(t, http.StatusOK, answer.Code)
	require.Contains(t, answer.Body.String(), "Nobody waits for you.")

	r.setModel(nil)
	gone, leave := context.WithCancel(t.Context())
	leave()
	answer = httptest.NewRecorder()
	r.views.view(r.views.sendNeeds).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/", http.NoBody).WithContext(gone))
	require.Equal(t, http.StatusServiceUnavailable, answer.Code)
}
