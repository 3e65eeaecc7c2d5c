// Package cli holds what the commands of scaffoldwatch share: the call, its flags and
// errors, and the connection to a running system. The commands themselves are in the
// subpackages, one per noun.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

// Exit codes of the command line (docs/scan.md).
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
	ExitFailOn = 3
	ExitWarned = 4
)

// ErrFailOn is returned if a --fail-on condition holds.
var ErrFailOn = errors.New("a --fail-on condition held")

// ErrDenied and ErrWarned are the verdicts of a try; both were already printed.
var (
	ErrDenied = errors.New("the command would be denied")
	ErrWarned = errors.New("the command would get a warning")
)

// UsageError wraps an error in how a command was called.
type UsageError struct{ err error }

// Usage wraps err as a [UsageError].
func Usage(err error) error { return UsageError{err} }

// Error returns the message of the wrapped error.
func (e UsageError) Error() string { return e.err.Error() }

// Unwrap returns the wrapped error.
func (e UsageError) Unwrap() error { return e.err }

// Call is one call of a command, with its context, inputs, outputs and theme.
type Call struct {
	context.Context
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Theme  terminal.Theme
	Config string // file of --config
	Denied *Denied
	// Session is shared by the parts of the call; one is made where it is nil.
	Session *Session
}

// Denied remembers the first thing that the broker denied. A nil Denied remembers nothing.
type Denied struct{ first atomic.Pointer[error] }

func (d *Denied) note(err error) {
	if d != nil {
		d.first.CompareAndSwap(nil, &err)
	}
}

// Explain adds to a failure what the broker denied, which no reply says: the user would only see a timeout.
// A missing stream usually means that the server was never set up.
func (d *Denied) Explain(err error) error {
	if nats.NoStream(err) {
		return fmt.Errorf("%w\ncheck that this is the right server (--server): `scaffoldwatch up` or `scaffoldwatch streams init` sets one up", err)
	}
	if err == nil || d == nil || d.first.Load() == nil {
		return err
	}
	words := strings.TrimPrefix((*d.first.Load()).Error(), nats.ErrDenied.Error()+": ")
	return fmt.Errorf("%w\nthe broker answered: %s; name a user who may, with nats.user or nats.credentials", err, words)
}
