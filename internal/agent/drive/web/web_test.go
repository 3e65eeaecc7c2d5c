package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func client(t *testing.T, address string) *Client {
	t.Helper()
	c, err := New(address, http.Header{"X-Key": {"k"}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// TestCalls sends query, header and body, and tells by the answer what it means.
func TestCalls(t *testing.T) {
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		w.WriteHeader(status)
		fmt.Fprintf(w, "%q", r.Method+" "+r.URL.String()+" "+r.Header.Get("X-Key")+" "+user+":"+password+" "+string(body))
	}))
	defer s.Close()
	c := client(t, "http://u:p@"+s.Listener.Addr().String()+"/base/?directory=d")
	var got string
	require.NoError(t, c.Get(t.Context(), "a%2Fb", url.Values{"limit": {"2"}}, &got))
	require.Equal(t, "GET /base/a%2Fb?directory=d&limit=2 k u:p ", got)
	require.NoError(t, c.Post(t.Context(), "x", map[string]int{"a": 1}))
	var number int
	require.ErrorContains(t, c.Get(t.Context(), "x", nil, &number), "read the answer of x")
	for code, want := range map[int]error{404: drive.ErrUnsupported, 401: drive.ErrUnsupported, 503: drive.ErrAway, 429: drive.ErrAway} {
		status = code
		err := c.Post(t.Context(), "x", nil)
		require.ErrorIs(t, err, want, code)
		require.NotContains(t, err.Error(), "u:p@")
	}
	require.NotContains(t, c.Address(), ":p@")
}

// TestAway tells a server that is not there from one that broke off: only the
// first certainly got nothing.
func TestAway(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			connection.Close()
		}
	}))
	c := client(t, s.URL)
	err := c.Post(t.Context(), "x", 1)
	require.Error(t, err)
	require.NotErrorIs(t, err, drive.ErrAway)
	require.NotErrorIs(t, err, drive.ErrUnsupported)
	s.Close()
	require.ErrorIs(t, c.Post(t.Context(), "x", 1), drive.ErrAway)
}

// TestEvents yields data lines and ends a stream that gives no sound.
func TestEvents(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: {\"a\":1}\n\nevent: x\ndata:2\n\n")
		fmt.Fprint(w, ": heartbeat\n\ndata: 3\n\n")
		w.(http.Flusher).Flush()
		if r.URL.Path == "/hangs" {
			<-r.Context().Done()
		}
	}))
	defer s.Close()
	c := client(t, s.URL)
	for path, end := range map[string]error{"ends": io.EOF, "hangs": ErrSilent} {
		c.silence = time.Second
		var got []string
		var last error
		for data, err := range c.Events(t.Context(), path) {
			if err != nil {
				last = err
				break
			}
			got = append(got, string(data))
			require.True(t, json.Valid(data))
		}
		require.Equal(t, []string{`{"a":1}`, "2", "3"}, got, path)
		require.True(t, errors.Is(last, end), "%s: %v", path, last)
	}
}

// What authenticates goes to no other server and stands in no error (SW-7).
func TestNothingSecretLeaves(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server was asked for %s with %v", r.URL, r.Header)
	}))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	token := "tok" + "en-71"
	c := client(t, "http://"+s.Listener.Addr().String()+"/?token="+token)
	require.ErrorIs(t, c.Get(t.Context(), "x", nil, new(string)), drive.ErrUnsupported)
	s.Close()
	err := c.Get(t.Context(), "x", nil, new(string))
	require.ErrorIs(t, err, drive.ErrAway)
	require.NotContains(t, err.Error(), token)
	require.NotContains(t, c.Address(), token)
}
