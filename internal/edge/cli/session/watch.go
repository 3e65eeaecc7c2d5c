package session

import (
	"errors"
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Watch shows decisions as they are made.
type Watch struct {
	cli.Connection
	Session string `help:"Only this session." placeholder:"ID"`
	All     bool   `help:"Start with the first decision instead of the next one."`
	Output  string `short:"o" help:"Output: text or jsonl." enum:"text,jsonl" default:"text"`
}

// Help gives examples.
func (Watch) Help() string {
	return `Examples:
  scaffoldwatch watch
  scaffoldwatch watch --session payments-webhook --all
  scaffoldwatch watch --output jsonl | jq 'select(.type == "interrupt.fired")'`
}

// Run follows DECISIONS until Ctrl-C.
func (c *Watch) Run(r *cli.Call) error {
	heap.Usual()
	broker, _, err := c.Open(r)
	if err != nil {
		return err
	}
	options := read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Latest: !c.All}
	if c.Session != "" {
		if !events.ValidID(c.Session) {
			return cli.Usage(fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Session))
		}
		options.Filters = decisions.SessionFilters(c.Session)
	}
	ctx, stop := terminal.UntilReaderLeaves(r, r.Stdout)
	defer stop()
	err = cli.Follow(ctx, broker, options, c.show(r))
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (c *Watch) show(r *cli.Call) func(events.Event) error {
	if c.Output == "jsonl" {
		return cli.JSONLines(r.Stdout)
	}
	return cli.ShowFeed(r.Stdout, r.Theme)
}
