package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Recover chooses how a denied merge is recovered.
type Recover struct {
	cli.Operated
	cli.Author
	cli.Reason
	OfRun  string `arg:"" name:"run" help:"Run whose merge was denied, or a session of it, by id or the first letters of it."`
	Option int    `arg:"" optional:"" help:"1, 2 or 3. Without one, show what each choice means."`
	Wave   int    `help:"Wave number; defaults to the wave whose merge was denied." placeholder:"N"`
}

// Help gives examples.
func (Recover) Help() string {
	return `Answers the trip wire: a wave's merge was denied because an agent's branch has no commits
(WP-1). Only a person can choose; there is no default.

Examples:
  scaffoldwatch recover nightly
  scaffoldwatch recover nightly 1 --wave 2 --why 'the worktrees were never used'`
}

// Run shows the options, or chooses one.
func (c *Recover) Run(r *cli.Call) error {
	one, p, err := find(c.Connection, r, c.OfRun)
	if err != nil {
		return err
	}
	gate, err := c.denied(one)
	if err != nil {
		return err
	}
	if c.Option == 0 {
		if err := printGate(r.Stdout, one.ID, gate.GateDecided); err != nil {
			return err
		}
		_, err := fmt.Fprintf(r.Stdout, "choose: scaffoldwatch recover %s OPTION --wave %d --why '…'\n", one.ID, gate.Wave)
		return err
	}
	if c.Option < 1 || c.Option > 3 {
		return cli.Usage(fmt.Errorf("%d is not an option; there are 1, 2 and 3: scaffoldwatch recover %s", c.Option, one.ID))
	}
	if err := c.Check(fmt.Sprintf("recover %s %d --wave %d", one.ID, c.Option, gate.Wave)); err != nil {
		return err
	}
	err = operate(c.Operated, r, act{
		of: p, what: fmt.Sprintf("choose recovery %d for %s", c.Option, one.ID), group: one.ID,
		event: operator.Recover(gate.Wave, c.Option, c.Name(), c.Why),
	})
	if err != nil {
		return err
	}
	after, err := read(c.Connection, r, one.ID)
	if err != nil {
		return err
	}
	if left, err := c.denied(after); err == nil && left.ID == gate.ID {
		return fmt.Errorf("recovery %d of %s: %w: the merge of wave %d is still denied", c.Option, one.ID, errNoEffect, gate.Wave)
	}
	return nil
}

// denied returns the denied merge that waits for a person.
func (c *Recover) denied(one runlist.Run) (runlist.Gate, error) {
	var waves []string
	for _, g := range slices.Backward(one.Refused) {
		if g.Gate != runevents.GateMerge || len(g.Options) == 0 {
			continue
		}
		if c.Wave == 0 || g.Wave == c.Wave {
			return g, nil
		}
		waves = append(waves, fmt.Sprint(g.Wave))
	}
	if len(waves) > 0 {
		return runlist.Gate{}, fmt.Errorf("no merge of wave %d of %s waits for a choice; those of %s do", c.Wave, one.ID, strings.Join(waves, ", "))
	}
	return runlist.Gate{}, fmt.Errorf("no merge of %s waits for a choice: the trip wire denied none", one.ID)
}
