package e2e

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/secretstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/test/planted"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// Every kind of secret, each in a place that only a session's own events hold (in full in all of them),
// and repeated without what gave it away, is in no file of the broker but INPUT's, in no report and not
// in the log (SW-7). internal/machines looks at every place without a broker.
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
	s.publish(flat(sessions))
	s.decided(len(sessions))
	var output bytes.Buffer
	for _, session := range sessions {
		m, err := decisions.ReadReport(t.Context(), s.broker, session[0].Subject)
		require.NoError(t, err)
		require.NoError(t, sessionreport.RenderMarkdown(&output, m))
		require.NoError(t, sessionreport.RenderJSON(&output, m))
	}
	requireNone(t, traces, "output", output.Bytes())
	requireNone(t, traces, "log", s.log.Bytes())
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
