package system

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/dead"
)

// Dead groups the commands about dead letters.
type Dead struct {
	List  deadListCommand  `cmd:"" help:"List dead letters."`
	Show  deadShowCommand  `cmd:"" help:"Show one dead letter."`
	Retry deadRetryCommand `cmd:"" help:"Send the input of a dead letter again."`
}

type deadListCommand struct {
	cli.Connection
	Output string `short:"o" help:"Output: text or jsonl." enum:"text,jsonl" default:"text"`
}

// Help gives examples.
func (deadListCommand) Help() string {
	return `Lists inputs that a stage could not process, each with the reason: a broken envelope, a
turn that is too large, an event that took too long. Later inputs are not affected.

Examples:
  scaffoldwatch dead list
  scaffoldwatch dead list --output jsonl | jq .reason`
}

// Run prints a line for each dead letter, oldest first.
func (c *deadListCommand) Run(r *cli.Call) error {
	broker, _, err := c.Open(r)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(r.Stdout)
	count := 0
	err = dead.Letters(r, broker, func(l dead.Stored) error {
		if c.Output == "jsonl" {
			return encoder.Encode(l)
		}
		if count == 0 {
			fmt.Fprintln(r.Stdout, r.Theme.Faint.Render(fmt.Sprintf("%6s  %-20s  %-10s  %-16s  %-24s  %s", "number", "arrived", "stage", "type", "subject", "reason")))
		}
		count++
		_, err := fmt.Fprintf(r.Stdout, "%6d  %-20s  %-10s  %-16s  %s  %s\n", l.Number, l.Arrived.UTC().Format(time.RFC3339), l.Stage, terminal.Clean(string(l.Type)),
			terminal.Fit(terminal.Clean(l.Subject), 24), terminal.Clean(l.Reason))
		return err
	})
	if err == nil && count == 0 && c.Output == "text" {
		_, err = fmt.Fprintln(r.Stdout, "no dead letters")
	}
	return err
}

type deadShowCommand struct {
	cli.Connection
	Number uint64 `arg:"" help:"Number of the dead letter, as \"dead list\" prints it."`
}

// Help gives examples.
func (deadShowCommand) Help() string {
	return `Examples:
  scaffoldwatch dead show 3`
}

// Run prints a dead letter as JSON.
func (c *deadShowCommand) Run(r *cli.Call) error {
	broker, _, err := c.Open(r)
	if err != nil {
		return err
	}
	letter, err := dead.Letter(r, broker, c.Number)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(r.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(letter)
}

type deadRetryCommand struct {
	cli.Operated
	Number []uint64 `arg:"" help:"Numbers of the dead letters."`
}

// Help explains when it is useful.
func (deadRetryCommand) Help() string {
	return `Sends inputs again after the cause is fixed, for example by a new version or a larger
limit. The raw input must still be in INPUT.

Examples:
  scaffoldwatch dead retry 3 4`
}

// Run publishes each input again.
func (c *deadRetryCommand) Run(r *cli.Call) error {
	as, err := c.AsOperator(r, "send dead letters again")
	if err != nil {
		return err
	}
	broker, _, err := as.Open(r)
	if err != nil {
		return err
	}
	for _, number := range c.Number {
		letter, err := dead.Letter(r, broker, number)
		if err != nil {
			return err
		}
		if err := dead.Retry(r, broker, letter); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(r.Stdout, "sent again: %s of %s\n", letter.Type, letter.Subject); err != nil {
			return err
		}
	}
	return nil
}
