package system

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// errPlayed ends the feed once everything has been decided.
var errPlayed = errors.New("the fleet has been played")

// playDemo publishes the sample fleet, shows the feed, and finally prints the reports and the states of the
// runs. Beside plays the sessions of the checkout, if there is one.
func playDemo(r *cli.Call, broker *nats.Broker, nc *nats.Conn, settings config.Config, beside *checkout) error {
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
	show, err := cli.ShowFeed(r, "")
	if err != nil {
		return err
	}
	pending, err := pendingQuestions(settings)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(r)
	group.Go(func() error { return publishPlay(ctx, nc, play.Events, pending) })
	if beside != nil {
		play.Expect(writing, erasing)
		group.Go(func() error { return beside.play(ctx) })
	}
	group.Go(func() error {
		return cli.Follow(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}, func(e events.Event) error {
			if err := show(e); err != nil {
				return err
			}
			pending.Take(e)
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

// pendingQuestions follows what a model is asked.
func pendingQuestions(settings config.Config) (*advisor.Pending, error) {
	set, err := deployment.LoadRules(settings.Rules)
	if err != nil {
		return nil, err
	}
	rules, err := opinion.Load(set)
	if err != nil {
		return nil, err
	}
	return advisor.NewPending(rules, settings.Advisor), nil
}

// publishPlay publishes the events in order, spread evenly over demoLength. A session's next turn comes after
// what a model was asked about the one before is answered.
func publishPlay(ctx context.Context, nc *nats.Conn, list []events.Event, pending *advisor.Pending) error {
	publish, err := publish.New(nc)
	if err != nil {
		return err
	}
	defer publish.Close()
	pace := demoLength / time.Duration(len(list))
	if os.Getenv("SCAFFOLDWATCH_TEST_FAST") != "" {
		pace = 0
	}
	start, turns := time.Now(), map[string]int{}
	for i, e := range list {
		if pace > 0 && turns[e.Subject] > 0 {
			if err := pending.Wait(ctx, e.Subject, turns[e.Subject]); err != nil {
				return err
			}
		}
		if err := publish.Send(ctx, e); err != nil {
			return err
		}
		if e.Type == sessionevents.TypeTurnRaw {
			turns[e.Subject]++
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(start.Add(time.Duration(i+1) * pace))):
		}
	}
	return nil
}
