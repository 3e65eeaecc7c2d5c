package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/audit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/dead"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Dead groups the commands about dead letters.
type Dead struct {
	List  deadListCommand  `cmd:"" help:"List dead letters."`
	Show  deadShowCommand  `cmd:"" help:"Show one dead letter."`
	Retry deadRetryCommand `cmd:"" help:"Send the input of a dead letter again."`
	Ack   deadAckCommand   `cmd:"" help:"Record that you looked at dead letters."`
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
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	seen, err := acknowledged(r, broker)
	if err != nil {
		fmt.Fprintf(r.Stderr, "which ones are acknowledged is not known: %v\n", err)
	}
	encoder := json.NewEncoder(r.Stdout)
	count := 0
	err = dead.Letters(r, broker, func(l dead.Stored) error {
		by, is := seen[l.Mark]
		if c.Output == "jsonl" {
			listed := listedLetter{Stored: l}
			if is {
				listed.Acknowledged = &by
			}
			return encoder.Encode(listed)
		}
		if count == 0 {
			fmt.Fprintln(r.Stdout, r.Theme.Faint.Render(fmt.Sprintf("%6s  %-20s  %-10s  %-16s  %-24s  %s", "number", "arrived", "stage", "type", "subject", "reason")))
		}
		count++
		_, err := fmt.Fprintf(r.Stdout, "%6d  %-20s  %-10s  %-16s  %s  %s\n", l.Number, l.Arrived.UTC().Format(time.RFC3339), l.Stage, terminal.Clean(string(l.Type)),
			terminal.Fit(terminal.Clean(l.Subject), 24), terminal.Clean(l.Reason))
		if err == nil && is {
			_, err = fmt.Fprintf(r.Stdout, "%6s  %s\n", "", r.Theme.Faint.Render(seenText(by)))
		}
		return err
	})
	if err == nil && count == 0 && c.Output == "text" {
		_, err = fmt.Fprintln(r.Stdout, "no dead letters")
	}
	return err
}

// seenPatience limits how long what is acknowledged is waited for: a user who may not read SEGMENTS gets no answer.
const seenPatience = 3 * time.Second

func acknowledged(r *cli.Call, broker *nats.Broker) (map[string]dead.Seen, error) {
	ctx, cancel := context.WithTimeout(r, seenPatience)
	defer cancel()
	return dead.Acknowledged(ctx, broker)
}

// listedLetter is a letter in the machine-readable list.
type listedLetter struct {
	dead.Stored
	Acknowledged *dead.Seen `json:"acknowledged,omitempty"`
}

// seenText says who acknowledged a letter.
func seenText(s dead.Seen) string {
	how := "acknowledged"
	if s.Retried {
		how = "sent again"
	}
	return terminal.Clean(fmt.Sprintf("%s by %q on %s (%q)", how, s.By, s.At.UTC().Format(time.RFC3339), s.Why))
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
	return cli.Indented(r.Stdout, letter)
}

type deadRetryCommand struct {
	cli.Operated
	cli.Author
	Number []uint64 `arg:"" help:"Numbers of the dead letters."`
}

// Help explains when it is useful.
func (deadRetryCommand) Help() string {
	return `Sends inputs again after the cause is fixed, for example by a new version or a larger
limit. The raw input must still be in INPUT. That it was sent again is recorded, and doctor counts
it as acknowledged: if it fails again, that is a new letter.

Examples:
  scaffoldwatch dead retry 3 4`
}

// Run publishes each input again.
func (c *deadRetryCommand) Run(r *cli.Call) error {
	as, err := c.AsOperator(r, "send dead letters again")
	if err != nil {
		return err
	}
	broker, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	var sent []runevents.LetterSeen
	for _, number := range c.Number {
		letter, err := dead.Letter(r, broker, number)
		if err != nil {
			return errors.Join(err, recordSeen(r, broker, nc, c.Name(), retryWhy, sent))
		}
		if err := dead.Retry(r, broker, letter); err != nil {
			return errors.Join(err, recordSeen(r, broker, nc, c.Name(), retryWhy, sent))
		}
		sent = append(sent, runevents.LetterSeen{Number: letter.Number, Mark: letter.Mark, Retried: true})
		if _, err := fmt.Fprintf(r.Stdout, "sent again: %s of %s\n", letter.Type, letter.Subject); err != nil {
			return err
		}
	}
	return recordSeen(r, broker, nc, c.Name(), retryWhy, sent)
}

// retryWhy is the recorded reason of a retry.
const retryWhy = "sent again"

// recordSeen records which letters an operator acknowledges; it waits until the stages have committed that.
func recordSeen(r *cli.Call, broker *nats.Broker, nc *nats.Conn, by, why string, list []runevents.LetterSeen) error {
	if len(list) == 0 {
		return nil
	}
	act := &runevents.OperatorAct{Act: runevents.ActAcknowledgeLetters, By: by, Why: why}
	return audit.Record(r, broker, nc, act, runevents.Letters{Letters: list})
}

type deadAckCommand struct {
	cli.Operated
	cli.Author
	cli.Reason
	All    bool     `help:"All that are stored now."`
	Number []uint64 `arg:"" optional:"" help:"Numbers of the dead letters."`
}

// Help explains what it changes.
func (deadAckCommand) Help() string {
	return `Records, as the operator, that you looked at dead letters and that nothing is left to do about
them. doctor then lists them without warning; a later letter is a warning again. The letters stay.

Examples:
  scaffoldwatch dead ack 3 --why 'sent by a broken script, which is fixed'
  scaffoldwatch dead ack --all --why 'from the test of last Friday'`
}

// Run records the acknowledgement.
func (c *deadAckCommand) Run(r *cli.Call) error {
	if c.All == (len(c.Number) > 0) {
		return cli.Usage(errors.New("give the numbers of dead letters, or --all"))
	}
	if err := c.Check("dead ack " + strings.Trim(fmt.Sprint(c.Number), "[]")); err != nil {
		return err
	}
	as, err := c.AsOperator(r, "acknowledge dead letters")
	if err != nil {
		return err
	}
	broker, nc, err := as.Open(r)
	if err != nil {
		return err
	}
	seen := map[string]dead.Seen{}
	if c.All { // a user who may not read what is acknowledged does it again, which changes nothing
		seen, _ = acknowledged(r, broker)
	}
	var list []runevents.LetterSeen
	note := func(l dead.Stored) error {
		if _, known := seen[l.Mark]; known {
			return nil
		}
		list = append(list, runevents.LetterSeen{Number: l.Number, Mark: l.Mark})
		return nil
	}
	if c.All {
		err = dead.Letters(r, broker, note)
	}
	for _, number := range c.Number {
		letter, err := dead.Letter(r, broker, number)
		if err != nil {
			return err
		}
		_ = note(letter)
	}
	if err != nil || len(list) == 0 {
		return errors.Join(err, errNoLetters(list))
	}
	for some := range slices.Chunk(list, lettersPerAct) {
		if err := recordSeen(r, broker, nc, c.Name(), c.Why, some); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(r.Stdout, "acknowledged: %s\n", text.Count(len(list), "dead letter"))
	return err
}

// lettersPerAct keeps an act well below the size that a server accepts.
const lettersPerAct = 1000

func errNoLetters(list []runevents.LetterSeen) error {
	if len(list) > 0 {
		return nil
	}
	return errors.New("nothing to acknowledge: no dead letter is stored that is not acknowledged yet")
}
