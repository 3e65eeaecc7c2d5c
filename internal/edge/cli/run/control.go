package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Control prints whether a run or session may continue.
type Control struct {
	cli.Connection
	Of      string        `arg:"" optional:"" name:"run|session" help:"Run or session, by its id or, where a person asks, the first letters of it."`
	Session string        `help:"Session id. With a run, the stricter of both states is printed." placeholder:"ID"`
	FailOn  []string      `help:"Exit with code 3 in these states: halt, pause, drain, unknown." enum:"halt,pause,drain,unknown" placeholder:"WHAT,…"`
	Await   bool          `name:"await-running" help:"Wait until the run or session may continue, up to --timeout."`
	Timeout time.Duration `help:"How long --await-running waits; 0 waits forever." default:"0s"`
	Output  string        `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help gives examples.
func (Control) Help() string {
	return `Prints whether a run or session may continue: running, paused, draining (finish the
current task, then stop), halted, or unknown. Treat unknown as not running. With --fail-on,
--await-running or --output json, which are for programs, the id must be complete.

Examples:
  scaffoldwatch control nightly
  scaffoldwatch control csv-export
  scaffoldwatch control nightly --fail-on halt,pause
  scaffoldwatch control nightly --await-running --timeout 8h`
}

// Run reads the state.
func (c *Control) Run(r *cli.Call) error {
	switch {
	case c.Of == "" && c.Session == "":
		return cli.Usage(errors.New("name the run or session"))
	case c.Await && c.Of != "" && c.Session != "":
		return cli.Usage(errors.New("--await-running requires a run or a session, not both"))
	case c.Timeout < 0:
		return cli.Usage(fmt.Errorf("--timeout %s: must be 0 or more", c.Timeout))
	}
	for _, id := range []string{c.Of, c.Session} {
		if id != "" && !naming.Typed(id) {
			return cli.Usage(fmt.Errorf("%q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", id))
		}
	}
	broker, nc, err := c.Patient().Open(r)
	if err != nil {
		return err
	}
	subscriber, err := client.NewSubscriber(nc, client.SubscriberOptions{TrustedKeys: broker.Keys().Trusted[cli.Deciding], RevokedKeys: broker.Keys().Revoked})
	if err != nil {
		return err
	}
	f, err := c.filter(r, broker)
	if err != nil {
		return err
	}
	if c.Await && f.Session == "" {
		if err := c.await(r, broker, nc); err != nil {
			return err
		}
		return c.print(r, runevents.Control{State: runevents.ControlRunning})
	}
	state, err := c.read(r, subscriber, f)
	if err != nil {
		return err
	}
	if err := c.print(r, state); err != nil {
		return err
	}
	return c.fail(state.State)
}

// filter selects the state of the named run or session. An unknown id is taken for a run that has not
// begun, whose state is unknown, and a note says so.
func (c *Control) filter(r *cli.Call, broker *nats.Broker) (client.Filter, error) {
	if c.Of == "" || c.Session != "" {
		return client.Filter{Run: c.Of, Session: c.Session}, nil
	}
	search := decisions.FindPlace
	if c.program() {
		search = decisions.FindWhole
	}
	p, err := search(r, broker, c.Of)
	switch {
	case errors.Is(err, decisions.ErrUnknown):
		fmt.Fprintln(r.Stderr, "scaffoldwatch:", err)
		return client.Filter{Run: c.Of}, nil
	case err != nil:
		return client.Filter{}, err
	case p.ID != c.Of:
		fmt.Fprintf(r.Stderr, "scaffoldwatch: %s is %s %s\n", c.Of, p.Kind(), naming.Brief(p.ID))
	}
	return filterOf(p), nil
}

// program reports whether a program asks, which acts on the answer. It must give the whole id, since the id
// of a run that has not begun may be a prefix of another's.
func (c *Control) program() bool { return c.Await || len(c.FailOn) > 0 || c.Output == "json" }

// bounded returns a context that ends with --timeout.
func (c *Control) bounded(r *cli.Call) (context.Context, context.CancelFunc) {
	if c.Timeout > 0 {
		return context.WithTimeout(r, c.Timeout)
	}
	return context.WithCancel(r)
}

// await waits until the run may continue, or has ended and may be started again.
func (c *Control) await(r *cli.Call, broker *nats.Broker, nc *nats.Conn) error {
	one, err := client.OpenRun(nc, c.Of, client.RunOptions{Source: cli.CommandSource, TrustedKeys: broker.Keys().Trusted[cli.Deciding], RevokedKeys: broker.Keys().Revoked})
	if err != nil {
		return err
	}
	ctx, cancel := c.bounded(r)
	defer cancel()
	return errors.Join(one.AwaitRunning(ctx), one.Close())
}

func (c *Control) read(r *cli.Call, s *client.Subscriber, f client.Filter) (runevents.Control, error) {
	if !c.Await {
		return s.Control(r, f)
	}
	ctx, cancel := c.bounded(r)
	defer cancel()
	last := runevents.Control{State: runevents.ControlUnknown}
	for state, err := range s.WatchControl(ctx, f) {
		if err != nil {
			return state, err
		}
		if last = state; state.State == runevents.ControlRunning {
			return state, nil
		}
	}
	return last, fmt.Errorf("it is still %s: %w", last.State, context.Cause(ctx))
}

func (c *Control) print(r *cli.Call, state runevents.Control) error {
	if c.Output == "json" {
		return json.NewEncoder(r.Stdout).Encode(state)
	}
	shown := string(state.State)
	if r.Theme.Interactive && meaning[state.State] != "" {
		shown += ": " + meaning[state.State]
	}
	if _, err := fmt.Fprintln(r.Stdout, shown); err != nil {
		return err
	}
	if state.Why != "" && state.State != runevents.ControlRunning { // why it was resumed explains nothing now
		fmt.Fprintln(r.Stderr, "scaffoldwatch:", state.Why)
	}
	return nil
}

// meaning is what a state means, for a person.
var meaning = map[runevents.ControlState]string{
	runevents.ControlRunning:  "it may continue",
	runevents.ControlPaused:   "it waits for an answer",
	runevents.ControlDraining: "it finishes its current task, then stops",
	runevents.ControlHalted:   "it may not continue until a person resumes it (scaffoldwatch resume)",
	runevents.ControlUnknown:  "nothing is recorded about it; treat it as not running",
}

func (c *Control) fail(state runevents.ControlState) error {
	name := map[runevents.ControlState]string{
		runevents.ControlHalted: "halt", runevents.ControlPaused: "pause", runevents.ControlDraining: "drain", runevents.ControlUnknown: "unknown",
	}[state]
	if slices.Contains(c.FailOn, name) {
		return fmt.Errorf("%w: it is %s", cli.ErrFailOn, state)
	}
	return nil
}
