package reporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// anchors writes a signed anchor from time to time, and at shutdown (AU-2). It reads only DECISIONS: the
// checkpoints there name heads of SIGNALS, and those name heads of SEGMENTS, so their digests bind all
// three.
type anchors struct {
	settings config.Audit
	signer   note.Signer
	log      *slog.Logger
	client   *http.Client
	failures prometheus.Counter
	last     []chain.Head // heads of the last anchor
}

// lastAnchor limits the time for the anchor at shutdown.
const lastAnchor = 5 * time.Second

// run writes anchors until ctx ends, and then a last one.
func (a *anchors) run(ctx context.Context, broker *nats.Broker) error {
	tick := time.NewTicker(a.settings.AnchorEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnchor)
			defer cancel()
			a.attempt(ending, broker)
			return nil
		case <-tick.C:
			a.attempt(ctx, broker)
		}
	}
}

func (a *anchors) attempt(ctx context.Context, broker *nats.Broker) {
	if err := a.write(ctx, broker, time.Now()); err != nil {
		a.failures.Inc()
		a.log.Warn("an anchor was not written everywhere", "error", err)
	}
}

// write writes and sends an anchor, unless nothing was committed since the last.
func (a *anchors) write(ctx context.Context, broker *nats.Broker, now time.Time) error {
	anchor, err := anchorOf(ctx, broker, now)
	if err != nil || len(anchor.Heads) == 0 || equalHeads(anchor.Heads, a.last) {
		return err
	}
	signed, err := anchor.Sign(a.signer)
	if err != nil {
		return err
	}
	err = errors.Join(a.keep(anchor, signed), a.send(ctx, signed), a.annotate(ctx, signed))
	if err == nil {
		a.last = anchor.Heads
	}
	return err
}

func equalHeads(a, b []chain.Head) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// anchorOf returns the heads of DECISIONS and those of SIGNALS that they name.
func anchorOf(ctx context.Context, broker *nats.Broker, now time.Time) (chain.Anchor, error) {
	anchor := chain.Anchor{Time: now.UTC().Truncate(time.Second)}
	found, err := read.ChainHeads(ctx, broker, "dispatcher", 0)
	if err != nil {
		return anchor, err
	}
	stream, err := read.LookUp(ctx, broker, events.StreamDecisions)
	if err != nil {
		return anchor, err
	}
	anchor.Streams = []chain.AnchoredStream{{Name: events.StreamDecisions, Created: stream.Created.UTC(), Last: stream.Last}}
	for _, h := range found {
		if h.Position.Anchor > 0 && h.Position.Head != "" {
			anchor.Heads = append(anchor.Heads, chain.Head{Stream: events.StreamSignals, Partition: h.Partition, Sequence: h.Position.Anchor, Digest: h.Position.Head})
		}
	}
	for _, h := range found {
		anchor.Heads = append(anchor.Heads, chain.Head{Stream: events.StreamDecisions, Partition: h.Partition, Sequence: h.Sequence, Digest: h.Digest})
	}
	return anchor, nil
}

// keep writes an anchor into the directory, named after its time.
func (a *anchors) keep(anchor chain.Anchor, signed []byte) error {
	if a.settings.Anchors == "" {
		return nil
	}
	if err := os.MkdirAll(a.settings.Anchors, 0o750); err != nil {
		return fmt.Errorf("create the directory of anchors: %w", err)
	}
	name := filepath.Join(a.settings.Anchors, anchor.Time.Format("2006-01-02T15-04-05Z")+".anchor")
	if err := os.WriteFile(name+".new", signed, 0o644); err != nil { //nolint:gosec // an anchor is to be given away
		return fmt.Errorf("write the anchor: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return fmt.Errorf("write the anchor: %w", err)
	}
	return nil
}

// send posts an anchor to the webhook.
func (a *anchors) send(ctx context.Context, signed []byte) error {
	if a.settings.AnchorWebhook == "" {
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.settings.AnchorWebhook, bytes.NewReader(signed))
	if err != nil {
		return fmt.Errorf("send the anchor: %w", err)
	}
	request.Header.Set("Content-Type", "text/plain; charset=utf-8")
	response, err := a.client.Do(request)
	if err != nil {
		return fmt.Errorf("send the anchor: %w", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // so that the connection can be reused
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("send the anchor: the webhook answers %s", response.Status)
	}
	return nil
}
