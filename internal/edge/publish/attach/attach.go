// Package attach connects a driven agent to the running system: what the agent does is published, and
// interrupts and halts reach it.
package attach

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive/relay"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Options configure how an agent is driven.
type Options struct {
	// Run is the run that the sessions belong to, "" for none.
	Run string
	// Spool is the folder for events while JetStream is unreachable (EV-11); "" means the one in the user's
	// cache.
	Spool string
	// Opener informs sessions about their codebase.
	Opener *workspace.Opener
	// Note shows people a line of text.
	Note func(string)
	// TrustedKeys and RevokedKeys are the dispatcher's (EV-7, AU-3).
	TrustedKeys []string
	RevokedKeys map[string]time.Time
}

// Run connects an agent to the running system until the agent or ctx ends.
func Run(ctx context.Context, nc *nats.Conn, d drive.Driver, o Options) error {
	dir, err := spoolDirectory(o.Spool)
	if err != nil {
		return err
	}
	publisher, err := client.NewPublisher(nc, client.PublisherOptions{
		Source: "/scaffoldwatch/drive", Spool: &client.SpoolOptions{Dir: dir},
		OnShed: func(s client.Shed) { o.Note(fmt.Sprintf("%s of %s was not kept: %s", s.Type, s.Subject, s.Reason)) },
	})
	if err != nil {
		return fmt.Errorf("publish what the agent does: %w", err)
	}
	defer func() { _ = publisher.Close() }() // what is not sent is in the spool
	listener, err := client.NewSubscriber(nc, client.SubscriberOptions{TrustedKeys: o.TrustedKeys, RevokedKeys: o.RevokedKeys})
	if err != nil {
		return fmt.Errorf("listen for interrupts: %w", err)
	}
	joined := relay.Relay{
		Send: sender(publisher, o.Opener), Listen: listener, Run: o.Run, Note: o.Note,
		Deliver: func(ctx context.Context, run string, d sessionevents.InterruptDelivery) error {
			_, err := publisher.Delivery(ctx, run, d)
			return err
		},
	}
	return joined.Drive(ctx, d)
}

// sender returns a function that publishes an event as `publish` does, with what is known about the
// codebase.
func sender(p *client.Publisher, opener *workspace.Opener) func(context.Context, events.Event) error {
	return func(ctx context.Context, e events.Event) error {
		for _, filled := range opener.Fill(e) {
			ready, err := publish.Prepare(filled)
			if err != nil {
				return err
			}
			if _, err := p.Event(ctx, ready); err != nil {
				return err
			}
		}
		return nil
	}
}

// spoolDirectory creates the folder. It holds raw turns, so only the user can read it.
func spoolDirectory(given string) (string, error) {
	if given == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find a folder for the spool (name one with --spool): %w", err)
		}
		given = filepath.Join(cache, "scaffoldwatch", "spool")
	}
	const mine fs.FileMode = 0o700
	if err := os.MkdirAll(given, mine); err != nil {
		return "", fmt.Errorf("create the spool's folder: %w", err)
	}
	return given, nil
}
