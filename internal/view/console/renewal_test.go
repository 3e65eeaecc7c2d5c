package console_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/console"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/test/browser"
)

// renewed is a page that changes: a view is asked for anew with each piece of news, and answered when the
// test says so.
type renewed struct {
	view   func(changes int) http.Handler
	number atomic.Int32 // of changes
	news   chan struct{}
	asked  chan struct{} // a view is being asked for anew
	answer chan struct{} // and may be answered
}

func (r *renewed) ServeHTTP(out http.ResponseWriter, q *http.Request) {
	switch {
	case q.URL.Path == "/console/events":
		out.Header().Set("Content-Type", "text/event-stream")
		for {
			out.(http.Flusher).Flush()
			select {
			case <-q.Context().Done():
				return
			case <-r.news:
				_, _ = fmt.Fprint(out, "data: 1\n\n")
			}
		}
	case q.URL.Path == "/console.js":
		_, _ = io.WriteString(out, console.Script)
		return
	case q.Header.Get("Sec-Fetch-Dest") == "empty":
		r.asked <- struct{}{}
		<-r.answer
	}
	r.view(int(r.number.Load())).ServeHTTP(out, q)
}

// show starts the page at a path and answers what it asks for when its news begin.
func (r *renewed) show(b browser.Browser, url string) {
	b.Do(chromedp.Navigate(url))
	<-r.asked
	r.answer <- struct{}{}
	b.Do(chromedp.WaitVisible("h1"))
}

// change changes the page and lets the page ask for its view.
func (r *renewed) change() {
	r.number.Add(1)
	r.news <- struct{}{}
	<-r.asked
}

func newRenewed(t *testing.T, view func(changes int) http.Handler) (r *renewed, url string) {
	t.Helper()
	r = &renewed{view: view, news: make(chan struct{}), asked: make(chan struct{}), answer: make(chan struct{})}
	server := httptest.NewServer(r)
	t.Cleanup(server.CloseClientConnections)
	return r, server.URL
}

// CO-16: what a person writes while a view is being asked for is not replaced by it; the view changes
// once the field is left, with what was written in it.
func TestAViewThatWasAskedForReplacesNothingThatIsBeingWritten(t *testing.T) {
	b := browser.Start(t, 1440, 900)
	r, url := newRenewed(t, func(changes int) http.Handler { return plain.handler(5+changes, "the-key") })
	r.show(b, url+"/live")
	r.change()
	b.Focus("#q")
	b.Do(chromedp.KeyEvent("pay"))
	answered := `performance.getEntriesByType("resource")` +
		`.filter(e => e.initiatorType === "fetch" && e.responseEnd > 0).length`
	before := browser.Value[int](b, answered)
	r.answer <- struct{}{}
	require.Eventually(t, func() bool {
		return browser.Value[int](b, answered) > before
	}, 30*time.Second, 10*time.Millisecond)
	b.Do(chromedp.KeyEvent("ments"))
	require.Equal(t, "payments", browser.Value[string](b, `document.getElementById("q").value`))
	require.Equal(t, "5 sessions.", browser.Value[string](b, `document.querySelector("h1").textContent`))

	b.Do(chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab))
	<-r.asked
	r.answer <- struct{}{}
	b.Do(chromedp.WaitVisible(`//h1[text()="6 sessions."]`))
	require.Equal(t, "payments", browser.Value[string](b, `document.getElementById("q").value`))
	require.Equal(t, "Show", browser.Value[string](b, "document.activeElement.textContent"))
}

// CO-16: a keyboard user stays at the same thing when others come or go before it: Enter answers what was
// read.
func TestAKeyboardUserStaysAtTheSameThing(t *testing.T) {
	b := browser.Start(t, 1440, 900)
	place := console.Place{Now: noon, Zone: time.UTC, Key: "the-key"}
	r, url := newRenewed(t, func(changes int) http.Handler {
		waiting := []runlist.Run{asking("billing", noon.Add(-time.Hour)), asking("nightly", noon)}
		return http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
			_ = console.Render(out, console.Model{Place: place, Waiting: waiting[changes:]})
		})
	})
	r.show(b, url)
	b.Tab("B: both")
	b.Tab("B: both")
	focused := `document.activeElement.textContent + " of " + document.activeElement.form?.elements.of.value`
	require.Equal(t, "B: both of nightly", browser.Value[string](b, focused))
	r.change() // somebody else answered the first
	r.answer <- struct{}{}
	b.Do(chromedp.WaitNotPresent(`//a[text()="billing"]`))
	require.Equal(t, "B: both of nightly", browser.Value[string](b, focused))
}

// asking is a run that waits for an answer since a time.
func asking(id string, since time.Time) runlist.Run {
	return runlist.Run{ID: id, Questions: []runlist.Question{{
		At: since, ClarificationRequested: runevents.ClarificationRequested{
			RequestID: "q1", Question: "Which endpoint?", Options: []runevents.Option{
				{ID: "A", Text: "the old one"}, {ID: "B", Text: "both"},
			},
		},
	}}}
}
