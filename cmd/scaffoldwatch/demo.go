package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/app"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/report"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// errPlayed ends the feed once the last session is closed.
var errPlayed = errors.New("the fleet has been played")

// playDemo publishes the sample fleet, shows the feed and ends with the reports.
func playDemo(r *run, broker *natsio.Broker, nc *natsio.Conn) error {
	fleet, err := demo.Sessions(time.Now())
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(r)
	group.Go(func() error { return publishFleet(ctx, nc, fleet) })
	open := len(fleet)
	show := showFeed(r.out, r.theme)
	group.Go(func() error {
		return follow(ctx, broker, natsio.ReaderOptions{Stage: "dispatcher", Partition: natsio.AllPartitions}, func(e events.Event) error {
			if err := show(e); err != nil {
				return err
			}
			if e.Type == events.TypeSessionClosed {
				open--
			}
			if open == 0 {
				return errPlayed
			}
			return nil
		})
	})
	err = group.Wait()
	if r.Err() != nil {
		return nil // Ctrl-C
	}
	if !errors.Is(err, errPlayed) {
		return err
	}
	reports := report.NewSet()
	err = broker.ReadAll(r, natsio.ReaderOptions{Stage: "dispatcher", Partition: natsio.AllPartitions}, func(a natsio.Accepted) error {
		reports.Apply(a.Input.Event)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(r.out)
	return printSessions(r.out, r.theme, reports.Results())
}

// publishFleet sends the sessions side by side, a turn each in turn.
func publishFleet(ctx context.Context, nc *natsio.Conn, fleet [][]events.Event) error {
	publish, err := app.NewPublish(nc)
	if err != nil {
		return err
	}
	defer publish.Close()
	pace := demoPace
	if os.Getenv("SCAFFOLDWATCH_TEST_FAST") != "" {
		pace = 0
	}
	for round := 0; ; round++ {
		sent := false
		for _, session := range fleet {
			if round >= len(session) {
				continue
			}
			sent = true
			if err := publish.Send(ctx, session[round]); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pace):
			}
		}
		if !sent {
			return nil
		}
	}
}
