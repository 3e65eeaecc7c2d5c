package interrupt

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/guard/alone"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish/operator"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// Allow lets a denied tool call run once.
type Allow struct {
	cli.Operated
	cli.Author
	Word string `arg:"" help:"The word at the end of the denial."`
	Why  string `help:"A remark to record." placeholder:"TEXT"`
}

var errDeniedNothing = errors.New("denied anything with this word in the last ten minutes")

// Help gives examples.
func (Allow) Help() string {
	return `Lets the command of an agent run that the guard denied: this command, in this session, once,
within ten minutes. The denial ends with the word. It is the same as typing "allow WORD" in the
agent's chat. Who gave it is recorded. An agent that runs this itself is denied.

Examples:
  scaffoldwatch allow 4f2
  scaffoldwatch allow 4f2 --why 'the draft is in the mail'`
}

// Run lifts a denial by a hook that decided alone, or else by the running system.
func (c *Allow) Run(r *cli.Call) error {
	word := strings.ToLower(c.Word)
	session, err := alone.Guard{Folder: hookclient.Folder()}.Lift(word, c.Name(), func() error {
		return c.AsPerson(r, "allow "+word)
	})
	if err != nil {
		return fmt.Errorf("lift the denial: %w", err)
	}
	if session == "" {
		if session, err = c.lift(r, word); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(
		r.Stdout,
		"allowed once, within ten minutes, in session %s: tell the agent to try again\n",
		terminal.Clean(session),
	)
	return err
}

// lift publishes the act for the latest denial with this word. A person at a terminal is asked only once it is
// known that there is something to allow.
func (c *Allow) lift(r *cli.Call, word string) (session string, err error) {
	if cli.AtTerminal(r) {
		broker, _, err := c.Connection.Open(r)
		if err != nil {
			return "", fmt.Errorf(
				"%q: no hook that decided alone %w; only the system that ran then knows of others: %w",
				word, errDeniedNothing, err,
			)
		}
		if _, err := decisions.Denied(r, broker, word, ""); err != nil {
			return "", err
		}
	}
	as, err := c.AsOperator(r, "allow "+word)
	if err != nil {
		return "", err
	}
	broker, nc, err := as.Open(r)
	if err != nil {
		return "", err
	}
	denied, err := decisions.Denied(r, broker, word, "")
	if err != nil {
		return "", err
	}
	e := operator.Allow(denied, c.Name(), c.Why, time.Now())
	return e.Subject, operator.Publish(r, nc, e)
}
