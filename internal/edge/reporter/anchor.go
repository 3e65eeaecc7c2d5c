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
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
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

// gitPatience limits the time for adding an anchor's note, retries included.
const gitPatience = 10 * time.Second

// annotate appends an anchor to the notes on the workspace's HEAD (AU-2).
func (a *anchors) annotate(ctx context.Context, signed []byte) (err error) {
	if a.settings.AnchorGit == "" {
		return nil
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("append the anchor to the Git notes of %s: %w", a.settings.AnchorGit, err)
		}
	}()
	file, err := os.CreateTemp("", "scaffoldwatch-anchor-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.Write(signed)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	return appendNote(ctx, a.settings.AnchorGit, file.Name())
}

// appendNote retries a few times, since another program may hold the lock of the notes.
func appendNote(ctx context.Context, dir, file string) (err error) {
	git := gitrun.Command{Dir: dir, Variables: []string{
		"GIT_AUTHOR_NAME=scaffoldwatch", "GIT_AUTHOR_EMAIL=anchor@scaffoldwatch.invalid",
		"GIT_COMMITTER_NAME=scaffoldwatch", "GIT_COMMITTER_EMAIL=anchor@scaffoldwatch.invalid",
	}}
	const attempts = 5
	for range attempts {
		// An agent could change the workspace's hooks, so they must not run as the reporter.
		if _, err = git.Run(ctx, "-c", "core.hooksPath="+os.DevNull, "notes", "--ref=scaffoldwatch-anchors", "append", "--file="+file, "HEAD"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
	return err
}
