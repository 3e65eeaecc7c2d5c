package session

import (
	"errors"
	"fmt"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Watch shows decisions as they are made.
type Watch struct {
	cli.Connection
	Session string `help:"Only this session." placeholder:"ID"`
	NeedsMe bool   `help:"Only what waits for a person: halts, questions, what was denied."`
	All     bool   `help:"Start with the first decision instead of the next one."`
	Output  string `short:"o" help:"Output: text or jsonl." enum:"text,jsonl" default:"text"`
}

// Help gives examples.
func (Watch) Help() string {
	return `Examples:
  scaffoldwatch watch
  scaffoldwatch watch --needs-me
  scaffoldwatch watch --session payments-webhook --all
  scaffoldwatch watch --output jsonl | jq 'select(.type == "interrupt.fired")'`
}

// Run follows DECISIONS until Ctrl-C.
func (c *Watch) Run(r *cli.Call) error {
	heap.Usual()
	broker, _, err := c.Watched(r).Open(r)
	if err != nil {
		return err
	}
	options := read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Latest: !c.All}
	if c.Session != "" {
		if !events.ValidID(c.Session) {
			return cli.Usage(fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Session))
		}
		options.Filters = subjects.DecidedAboutSession(c.Session)
	}
	ctx, stop := terminal.UntilReaderLeaves(r, r.Stdout)
	defer stop()
	show, err := c.show(r)
	if err != nil {
		return err
	}
	if c.NeedsMe {
		show = only(needsPerson, show)
	}
	err = cli.Follow(ctx, broker, options, show)
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// only passes the events that are wanted.
func only(wanted func(events.Event) bool, show func(events.Event) error) func(events.Event) error {
	return func(e events.Event) error {
		if !wanted(e) {
			return nil
		}
		return show(e)
	}
}

// needsPerson reports whether an event waits for a person (CO-6), as the first view of the page has it (CO-10).
func needsPerson(e events.Event) bool {
	switch d := e.Data.(type) {
	case *runevents.WiggumBreak, *runevents.ClarificationRequested, *runevents.HaltIgnored:
		return true
	case *runevents.EscalationRaised:
		return d.To != runevents.RecipientOrchestrator
	case *runevents.GateDecided:
		return runlist.Asks(d) && (d.Decision == runevents.DecisionDeny || d.Decision == runevents.DecisionHold)
	case *sessionevents.GuardDecided:
		return d.Verdict == sessionevents.HookDeny
	case *sessionevents.InterruptDelivery:
		return d.State == sessionevents.DeliveryUnsupported
	}
	return false
}

func (c *Watch) show(r *cli.Call) (func(events.Event) error, error) {
	if c.Output == "jsonl" {
		return cli.JSONLines(r.Stdout), nil
	}
	settings, err := c.Settings(r)
	if err != nil {
		return nil, err
	}
	return cli.ShowFeed(r, settings.Rules)
}
