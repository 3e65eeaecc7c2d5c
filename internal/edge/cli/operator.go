package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link/credential"
)

// Operated holds the flags of commands that only a person may give (EV-10).
type Operated struct {
	Connection
	Operator string `help:"File with the operator's credential, for calls without a terminal." type:"path" placeholder:"FILE"`
}

// errNoPerson is returned for an operator's act that nobody confirmed.
var errNoPerson = errors.New("only a person may do this: run it in a terminal and confirm, or pass the operator's credential with --operator FILE (`scaffoldwatch up` prints where it is)")

// AfterApply is called by the parser: with --operator, reading and acting are one login.
func (o *Operated) AfterApply() error {
	if o.Operator != "" {
		o.role, o.file = credential.Operator, o.Operator
	}
	return nil
}

// AsOperator returns the connection for a person's act, which act describes. The credential is the one that
// --operator or the configuration names. The one of this machine is used only after a person confirmed at a
// terminal, so that no program uses it by accident.
func (o Operated) AsOperator(r *Call, act string) (Connection, error) {
	c := o.Connection
	c.role, c.file = credential.Operator, o.Operator
	if o.Operator != "" {
		return c, nil
	}
	settings, err := c.Settings(r)
	if err != nil || link.Named(settings) {
		return c, err
	}
	if !AtTerminal(r) {
		return c, fmt.Errorf("%s: %w", act, errNoPerson)
	}
	return c, confirm(r.Input(), r.Stderr, act)
}

// AsPerson succeeds if a person confirms an act at the terminal or presents the operator's credential of
// this machine. It is for acts without a broker that could check another credential.
func (o Operated) AsPerson(r *Call, act string) error {
	if o.Operator == "" {
		if !AtTerminal(r) {
			return fmt.Errorf("%s: %w", act, errNoPerson)
		}
		return confirm(r.Input(), r.Stderr, act)
	}
	settings, err := o.Settings(r)
	if err != nil {
		return err
	}
	if !credential.Same(o.Operator, credential.Find(settings.Security.Credentials, credential.Operator)) {
		return fmt.Errorf("%s: no system runs that could check %s, and it is not the operator's credential of this "+
			"machine: run it in a terminal and confirm, or start the system", act, o.Operator)
	}
	return nil
}

// Confirm asks the person at the terminal to confirm an act; otherwise describes the alternative without a
// terminal, "" if there is none.
func Confirm(r *Call, act, otherwise string) error {
	if !AtTerminal(r) {
		return fmt.Errorf("%s: confirm it in a terminal%s", act, otherwise)
	}
	return confirm(r.Input(), r.Stderr, act)
}

// Asks reports whether AsOperator asks the person.
func (o Operated) Asks(r *Call) (bool, error) {
	settings, err := o.Settings(r)
	return o.Operator == "" && err == nil && !link.Named(settings), err
}

// AtTerminal reports whether a person can answer: an agent's tool has no terminal for its input.
func AtTerminal(r *Call) bool {
	file, ok := r.Stdin.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// confirm asks the person for confirmation.
func confirm(in io.Reader, out io.Writer, act string) error {
	if _, err := fmt.Fprintf(out, "%s, as the operator? Type yes: ", act); err != nil {
		return err
	}
	answer, err := bufio.NewReader(io.LimitReader(in, 100)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the answer: %w", err)
	}
	if strings.TrimSpace(answer) != "yes" {
		return errors.New("not confirmed; nothing is changed")
	}
	return nil
}
