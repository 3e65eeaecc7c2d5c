package system

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// errPlayed ends the feed once everything has been decided.
var errPlayed = errors.New("the fleet has been played")

// playDemo publishes the sample fleet, shows the feed, and finally prints the reports and the states of the
// runs. Beside plays the sessions of the checkout, if there is one.
func playDemo(r *cli.Call, broker *nats.Broker, nc *nats.Conn, beside *checkout) error {
	start := time.Now()
	play, err := demo.NewPlay(start)
	if err != nil {
		return err
	}
	written, err := demo.Sources(start)
	if err != nil {
		return err
	}
	play.Add(written)
	group, ctx := errgroup.WithContext(r)
	group.Go(func() error { return publishPlay(ctx, nc, play.Events) })
	show := cli.ShowFeed(r.Stdout, r.Theme)
	if beside != nil {
		play.Expect(writing, erasing)
		group.Go(func() error { return beside.play(ctx) })
	}
	group.Go(func() error {
		return cli.Follow(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}, func(e events.Event) error {
			if err := show(e); err != nil {
				return err
			}
			if play.Over(e) {
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
	reports := sessionreport.NewSet()
	err = read.All(r, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}, func(a read.Accepted) error {
		reports.Apply(a.Input.Event)
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(r.Stdout)
	if err := cli.PrintSessions(r.Stdout, r.Theme, reports.Results(), false); err != nil {
		return err
	}
	runs, err := decisions.Runs(r, broker)
	if err != nil {
		return err
	}
	fmt.Fprintln(r.Stdout)
	if err := run.PrintRuns(r, runs, 0); err != nil {
		return err
	}
	fmt.Fprintln(r.Stdout, "\nWith a system of your own (`scaffoldwatch up`):")
	fmt.Fprintln(r.Stdout, "  scaffoldwatch done SESSION   what was claimed, and what shows it")
	fmt.Fprintln(r.Stdout, "  scaffoldwatch verify         that nothing was added, removed or changed")
	return nil
}

// publishPlay publishes the events in order, spread evenly over demoLength.
func publishPlay(ctx context.Context, nc *nats.Conn, list []events.Event) error {
	publish, err := publish.New(nc)
	if err != nil {
		return err
	}
	defer publish.Close()
	pace := demoLength / time.Duration(len(list))
	if os.Getenv("SCAFFOLDWATCH_TEST_FAST") != "" {
		pace = 0
	}
	start := time.Now()
	for i, e := range list {
		if err := publish.Send(ctx, e); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(start.Add(time.Duration(i+1) * pace))):
		}
	}
	return nil
}
