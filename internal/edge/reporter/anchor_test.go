package reporter

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

func testAnchors(t *testing.T, settings config.Audit) (*anchors, map[string]note.Verifier) {
	t.Helper()
	key, err := nkeys.CreateAccount()
	require.NoError(t, err)
	public, err := key.PublicKey()
	require.NoError(t, err)
	signer, err := chain.Signer(key)
	require.NoError(t, err)
	verifier, err := chain.Verifier(public)
	require.NoError(t, err)
	a := &anchors{settings: settings, signer: signer, log: slog.New(slog.NewTextHandler(io.Discard, nil)), client: http.DefaultClient, failures: obs.AnchorFailures(prometheus.NewRegistry())}
	return a, map[string]note.Verifier{public: verifier}
}

// An anchor is kept as a file and posted; both are what the key signed.
func TestAnchorIsKeptAndSent(t *testing.T) {
	posted := make(chan []byte, 1)
	answer := http.StatusNoContent
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posted <- body
		w.WriteHeader(answer)
	}))
	defer hook.Close()
	a, known := testAnchors(t, config.Audit{Anchors: filepath.Join(t.TempDir(), "anchors"), AnchorWebhook: hook.URL})
	anchor := chain.Anchor{
		Time: time.Unix(1_700_000_000, 0).UTC(), Streams: []chain.AnchoredStream{{Name: events.StreamDecisions, Last: 9}},
		Heads: []chain.Head{{Stream: events.StreamDecisions, Partition: 1, Sequence: 9, Digest: strings.Repeat("0f", 32)}},
	}
	signed, err := anchor.Sign(a.signer)
	require.NoError(t, err)
	require.NoError(t, a.keep(anchor, signed))
	require.NoError(t, a.send(context.Background(), signed))
	require.Equal(t, signed, <-posted)
	kept, err := os.ReadFile(filepath.Join(a.settings.Anchors, "2023-11-14T22-13-20Z.anchor"))
	require.NoError(t, err)
	opened, err := chain.OpenAnchor(kept, known, chain.Keys{})
	require.NoError(t, err)
	require.Equal(t, anchor.Heads, opened.Heads)
	answer = http.StatusTeapot
	require.ErrorContains(t, a.send(context.Background(), signed), "418")
}
