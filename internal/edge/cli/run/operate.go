package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// decisionPatience is how long a command waits for the outcome of an answer, and then again until its
// effect can be read back.
const decisionPatience = 10 * time.Second

// place returns the run or session that a person named.
func place(c cli.Connection, r *cli.Call, id string) (decisions.Place, error) {
	if !naming.Typed(id) {
		return decisions.Place{}, cli.Usage(fmt.Errorf("%q is not an id; ids are 1 to 128 of A-Z a-z 0-9 _ -", id))
	}
	broker, _, err := c.Open(r)
	if err != nil {
		return decisions.Place{}, err
	}
	return decisions.FindPlace(r, broker, id)
}

// find returns, with its place, the run that a person named, or the run of the session that they named. For
// a session without a run, it returns what was decided about the session alone, possibly nothing.
func find(c cli.Connection, r *cli.Call, id string) (runlist.Run, decisions.Place, error) {
	p, err := place(c, r, id)
	if err != nil {
		return runlist.Run{}, p, err
	}
	if run := p.RunID(); run != "" {
		p = decisions.Place{ID: run, Run: true, Group: run}
	}
	one, err := read(c, r, p.ID)
	if errors.Is(err, decisions.ErrNoRun) {
		return runlist.Begin(p.ID).Run, p, nil
	}
	return one, p, err
}

// placeOfRun returns the run that a person named, or the run of the session that they named; lacks names,
// for the error, what a session without a run does not have.
func placeOfRun(c cli.Connection, r *cli.Call, id, lacks string) (decisions.Place, error) {
	p, err := place(c, r, id)
	if err != nil {
		return p, err
	}
	run := p.RunID()
	if run == "" {
		return p, fmt.Errorf("%s is a session without a run: it has no %s", naming.Brief(p.ID), lacks)
	}
	return decisions.Place{ID: run, Run: true, Group: run}, nil
}

func read(c cli.Connection, r *cli.Call, id string) (runlist.Run, error) {
	broker, _, err := c.Open(r)
	if err != nil {
		return runlist.Run{}, err
	}
	return decisions.RunOf(r, broker, id)
}

// act is a person's decision about a run or session.
type act struct {
	what  string          // describes it in the request for confirmation
	group string          // where it is decided (EV-4)
	of    decisions.Place // what it is about; its state is read back
	event events.Event
	// wanted lists the states that show that the act took effect; none means any.
	wanted []runevents.ControlState
	// orEnded is set if what continues may have ended before its state is read back.
	orEnded bool
}

// took reports whether a state shows that the act took effect.
func (a act) took(c runevents.Control) bool {
	return len(a.wanted) == 0 || slices.Contains(a.wanted, c.State) || a.endedSince(c)
}

// endedSince reports whether what the act let continue has since ended.
func (a act) endedSince(c runevents.Control) bool {
	return a.orEnded && c.State == runevents.ControlUnknown && c.Why != ""
}

// errNoEffect is returned if an act was decided but did not have its effect.
var errNoEffect = errors.New("it did not take effect")

// operate publishes a person's decision with the operator's credential (EV-10), and prints the outcome: the
// decision, and the state that is read back afterwards.
func operate(c cli.Operated, r *cli.Call, a act) error {
	as, err := c.AsOperator(r, a.what)
	if err != nil {
		return err
	}
	run, done, err := as.OpenRunAs(r, a.group, operator.Source, decisionPatience)
	if err != nil {
		return err
	}
	defer done()
	v, err := run.DoEvent(r, a.event)
	switch {
	case errors.Is(err, client.ErrNoVerdict):
		return fmt.Errorf("%s: it was sent, and nothing was decided about it yet, so nothing is known to have changed; `scaffoldwatch control %s` reads the state: %w", a.what, a.of.ID, err)
	case err != nil:
		return fmt.Errorf("%w (this requires the operator's user, nats.user)", err)
	}
	if err := printDecisions(r, v); err != nil {
		return err
	}
	state, effect := a.readBack(as, r, len(v.Warnings()) == 0)
	if effect != nil && !errors.Is(effect, errNoEffect) {
		return fmt.Errorf("%s: it was decided, but its effect could not be read back: %w", a.what, effect)
	}
	text := standing(a.of.ID, a.group, state, v)
	if a.endedSince(state) {
		text = a.of.ID + " was resumed, and has ended since"
	}
	if _, err := fmt.Fprintln(r.Stdout, text); err != nil {
		return err
	}
	if refused := v.Refused(); refused != nil {
		if err := printGate(r.Stdout, a.group, *refused); err != nil {
			return err
		}
	}
	if effect != nil {
		return fmt.Errorf("%s: %w", a.what, effect)
	}
	return nil
}

// readBack reads the state of the act's subject. It waits for a wanted state unless the decision shows that
// there is nothing to wait for.
func (a act) readBack(c cli.Connection, r *cli.Call, wait bool) (runevents.Control, error) {
	subscriber, err := subscribe(c, r)
	if err != nil {
		return runevents.Control{}, err
	}
	filter := filterOf(a.of)
	state, err := subscriber.Control(r, filter)
	if err != nil || a.took(state) {
		return state, err
	}
	if wait {
		ctx, cancel := context.WithTimeout(r, decisionPatience)
		defer cancel()
		for now, err := range subscriber.WatchControl(ctx, filter) {
			if err != nil {
				return state, err
			}
			if state = now; a.took(state) {
				return state, nil
			}
		}
	}
	return state, errNoEffect
}

// filterOf selects the control state of a run, of a session, or of both if they share the id.
func filterOf(p decisions.Place) client.Filter {
	var f client.Filter
	if p.Run {
		f.Run = p.ID
	}
	if p.IsSession {
		f.Session = p.ID
	}
	return f
}

// subscribe opens a reader of control states, which it verifies (EV-6).
func subscribe(c cli.Connection, r *cli.Call) (*client.Subscriber, error) {
	broker, nc, err := c.Open(r)
	if err != nil {
		return nil, err
	}
	return client.NewSubscriber(nc, client.SubscriberOptions{TrustedKeys: broker.Keys().Trusted[cli.Deciding], RevokedKeys: broker.Keys().Revoked})
}

// Halt stops a run or session manually (RW-33).
type Halt struct {
	cli.Operated
	cli.Author
	cli.Reason
	Of string `arg:"" name:"run|session" help:"Run or session to halt, by its id or the first letters of it."`
}

// Help gives examples.
func (Halt) Help() string {
	return `Halts a run with its sessions, or one session, at once: no tool runs and every gate is
closed until a person resumes it. The agent is asked to end its turn. The state that is printed is read back afterwards.

Examples:
  scaffoldwatch halt nightly --why 'it edits the wrong repository'
  scaffoldwatch halt csv-export --why 'it deletes test data' --by ann`
}

// Run halts the named run or session.
func (c *Halt) Run(r *cli.Call) error {
	if err := c.Check("halt " + c.Of); err != nil {
		return err
	}
	p, err := place(c.Connection, r, c.Of)
	if err != nil {
		return err
	}
	if p.Run {
		p.IsSession = false // its state is read back as the run's
	}
	subscriber, err := subscribe(c.Connection, r)
	if err != nil {
		return err
	}
	state, err := subscriber.Control(r, filterOf(p))
	switch {
	case err != nil:
		return err
	case state.State == runevents.ControlUnknown && state.Why != "":
		return fmt.Errorf("%s cannot be halted: %s; nothing is changed", naming.Brief(p.ID), state.Why)
	}
	return operate(c.Operated, r, act{
		of: p, what: fmt.Sprintf("halt %s %s", p.Kind(), naming.Brief(p.ID)), group: p.Group,
		event: operator.Halt(p, c.Name(), c.Why), wanted: []runevents.ControlState{runevents.ControlHalted},
	})
}
