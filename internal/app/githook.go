package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/githook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// factSpool bounds the facts that wait for a broker, in bytes; one is some hundred.
const factSpool = 16 << 20

// SendFacts publishes facts about a Git repository, in order, within a time. What
// cannot be sent waits in the repository for the next call; waiting says how many
// do. Git never waits longer than that.
func SendFacts(ctx context.Context, c config.Config, spool string, facts []events.Event, within time.Duration) (waiting int, err error) {
	name := c.NATS.User // permissions hold each user to an inbox of their own (EV-10)
	if name == "" {
		name = "git-hook"
	}
	nc, err := natsio.ConnectLater(ConnectOptions(c, name))
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	var shed []client.Shed
	publisher, err := client.NewPublisher(nc, client.PublisherOptions{
		Source: githook.Source, AttemptTimeout: within, Spool: &client.SpoolOptions{Dir: spool, MaxBytes: factSpool},
		OnShed: func(s client.Shed) { shed = append(shed, s) },
	})
	if err != nil {
		return 0, fmt.Errorf("open the spool of the hooks: %w", err)
	}
	defer func() { err = errors.Join(err, publisher.Close()) }()
	for _, fact := range facts {
		if _, err := publisher.Event(ctx, fact); err != nil {
			return 0, fmt.Errorf("publish %s: %w", fact.Type, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if err := publisher.Flush(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return 0, fmt.Errorf("publish what waited: %w", err)
	}
	if len(shed) > 0 {
		return 0, fmt.Errorf("%d facts were lost, the first because: %s", len(shed), shed[0].Reason)
	}
	stats, err := publisher.Stats()
	if err != nil {
		return 0, fmt.Errorf("look at the spool of the hooks: %w", err)
	}
	return stats.Spooled, nil
}
