package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/planted"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// Every kind of secret, each in a place that only a session's own events have (in full in all of them), and
// repeated without what gave it away, is in no file of the broker except INPUT's, in no report, and not in
// the log, the metrics and the live feed (SW-7). internal/machines checks every place without a broker.
func TestPlantedKindsPersistNowhere(t *testing.T) {
	g := secretstest.New(7)
	var sessions [][]events.Event
	var traces []string
	places := planted.SessionPlaces()
	for k, kind := range secretstest.Plants() {
		for i, place := range places {
			if i != k%len(places) && !proofs.Full() || k%4 != 0 && !proofs.Full() {
				continue
			}
			text, secret := g.Plant(kind)
			id := fmt.Sprintf("p-%d-%d", k, i)
			payloads := place.Payloads(id, text)
			if kind.Single() {
				payloads = append(payloads, planted.Spoken("again", "The value %s is in place.").Payloads(id, secret)...)
			}
			sessions = append(sessions, planted.Session(id, payloads...))
			traces = append(traces, secretstest.Traces(secret)...)
		}
	}

	var reports string
	s := start(t, func(c *config.Config) { reports = c.Reports.Directory })
	feed := s.feed()
	s.publish(flat(sessions))
	s.decided(len(sessions))
	var output bytes.Buffer
	for _, session := range sessions {
		m, err := decisions.ReadReport(t.Context(), s.broker, session[0].Subject)
		require.NoError(t, err)
		require.NoError(t, sessionreport.Report(m).Write(&output, "md", doc.Screen{}))
		require.NoError(t, sessionreport.Report(m).Write(&output, "json", doc.Screen{}))
	}
	requireNone(t, traces, "output", output.Bytes())
	requireNone(t, traces, "log", s.log.Bytes())
	requireNone(t, traces, "metrics", s.page("/metrics"))
	requireNone(t, traces, "feed", feed())
	s.end()
	raw := 0
	eachFile(t, s.data, func(path string, data []byte) {
		if strings.Contains(path, string(filepath.Separator)+"INPUT"+string(filepath.Separator)) {
			raw += count(data, traces)
			return
		}
		requireNone(t, traces, path, data)
	})
	require.Positive(t, raw, "INPUT is raw; a search that finds nothing there finds nothing anywhere")
	eachFile(t, reports, func(path string, data []byte) { requireNone(t, traces, path, data) })
}

// page returns the body of a page of the HTTP interface.
func (s *running) page(path string) []byte {
	s.t.Helper()
	answer, err := http.Get("http://" + s.HTTP() + path)
	require.NoError(s.t, err)
	defer answer.Body.Close()
	require.Equal(s.t, http.StatusOK, answer.StatusCode)
	body, err := io.ReadAll(answer.Body)
	require.NoError(s.t, err)
	return body
}

// feed listens to the live feed; the function it returns ends that and gives what came, which is
// something: a client that does not keep up loses events, but not all.
func (s *running) feed() func() []byte {
	s.t.Helper()
	answer, err := http.Get("http://" + s.HTTP() + "/v1/events") //nolint:bodyclose // the returned function closes it
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, answer.StatusCode)
	first, all := make(chan struct{}), make(chan []byte, 1)
	go func() {
		var got []byte
		for reader := bufio.NewReader(answer.Body); ; {
			line, err := reader.ReadBytes('\n')
			if got = append(got, line...); bytes.HasPrefix(line, []byte("data:")) && first != nil {
				close(first)
				first = nil
			}
			if err != nil {
				all <- got
				return
			}
		}
	}()
	began := first
	return func() []byte {
		s.t.Helper()
		select {
		case <-began:
		case <-time.After(patience):
			s.t.Fatal("nothing came through the feed")
		}
		require.NoError(s.t, answer.Body.Close())
		return <-all
	}
}
