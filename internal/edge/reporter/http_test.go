package reporter

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A publisher chooses ids; one of several lines forges no other event.
func TestAnIDBeginsNoOtherServerSentEvent(t *testing.T) {
	for _, id := range []string{"a\nevent: wiggum.break", "a\r\n\r\ndata: x"} {
		var out bytes.Buffer
		writeServerSent(&out, events.Event{ID: id, Source: "/s", Type: sessionevents.TypeSessionClosed, Subject: "s", Data: &sessionevents.SessionClosed{Session: "s", Reason: "ended"}})
		require.NotContains(t, out.String(), "\r")
		require.Equal(t, 4, strings.Count(out.String(), "\n"), out.String())
		require.True(t, strings.HasSuffix(out.String(), "}\n\n"))
	}
}

// The fleet page runs nothing and stands in no other page.
func TestFleetPageHasAPolicy(t *testing.T) {
	model, err := readmodel.Open(t.Context(), readmodel.Options{})
	require.NoError(t, err)
	defer model.Close()
	w := httptest.NewRecorder()
	reading(model).sendFleet(w, httptest.NewRequest(http.MethodGet, "/v1/fleet?format=html", nil))
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'")
	require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
}

// The page at / is there before anything was heard, runs nothing, and asks again by itself.
func TestThePageAnswersAtTheRoot(t *testing.T) {
	model, err := readmodel.Open(t.Context(), readmodel.Options{})
	require.NoError(t, err)
	defer model.Close()
	mux := http.NewServeMux()
	for pattern, handler := range reading(model).routes() {
		mux.Handle(pattern, handler)
	}
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		return w
	}
	w := get("/")
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	require.Contains(t, w.Body.String(), "Needs you")
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
	require.Contains(t, w.Body.String(), `<noscript><meta http-equiv="refresh" content="10"></noscript>`)
	require.Equal(t, "same-origin", w.Header().Get("Referrer-Policy"), "its address may have the key")
	require.NotContains(t, w.Body.String(), "<form")
	require.NotContains(t, get("/?key=").Body.String(), "<form")
	require.Equal(t, http.StatusForbidden, get("/answer?act=resume&key=").Code)
	require.Contains(t, get("/console.js").Body.String(), "EventSource")
	require.Less(t, w.Body.Len(), 150<<10, "CO-15")
	require.Equal(t, http.StatusNotFound, get("/nothing").Code)
}

// A report replaces a link that stands where it is written, and what it points to
// stays as it is.
func TestReportsFollowNoLinks(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "target"), filepath.Join(dir, "s.md")
	require.NoError(t, os.WriteFile(target, []byte("mine"), 0o600))
	require.NoError(t, os.Symlink(target, path+".new"))
	require.NoError(t, os.Symlink(target, path))
	require.NoError(t, writeFile(path, "md", sessionreport.Report(sessionreport.Model{Session: sessionreport.Session{ID: "s"}})))
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "mine", string(data))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
}
