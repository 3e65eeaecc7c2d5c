// Package drive is what drivers of agents have in common. A [Driver] drives one
// kind of agent that is a process of ours or has an interface of its own: it reads
// its turns as they happen, hands interrupts over and halts it. Each agent's own
// package holds its driver; package relay joins one with a running system.
package drive

import (
	"context"
	"errors"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Priority says how soon a message must reach the agent.
type Priority string

// Priorities.
const (
	// Next comes with the agent's next request to its model; an agent that is
	// idle reads it with the next prompt, where it can.
	Next Priority = "next"
	// Now does the same, and makes an agent that is idle go on with it.
	Now Priority = "now"
)

// Message is what is said to an agent.
type Message struct {
	ID       string // of the interrupt
	Session  string // as in the events of the session
	Text     string
	Priority Priority
}

// Driver drives one agent, or a server of agents. Say and Halt are safe for
// concurrent use and while Run runs.
type Driver interface {
	// Run reads what the agent does until the agent or ctx ends. It returns nil
	// when the agent ended by itself or ctx did, and an error that says what
	// failed otherwise.
	Run(ctx context.Context, sink Sink) error
	// Say hands a message over. The error wraps ErrUnsupported where the session
	// can never get it, and ErrAway where it certainly did not get it now; any
	// other error leaves open whether it did.
	Say(ctx context.Context, m Message) error
	// Halt stops the session at once, for the reason given to people. The error
	// is as of Say.
	Halt(ctx context.Context, session, reason string) error
	// Channel names the way to the agent in delivery facts, as "drive:codex".
	Channel() string
}

// Pauser is a driver whose agent can wait in the middle of its task: it keeps
// all it has, and goes on where it was. Errors are as of Say.
type Pauser interface {
	Pause(ctx context.Context, session string) error
	Resume(ctx context.Context, session string) error
}

// Sink receives what a driver sees. Calls come from one goroutine of the driver.
type Sink interface {
	// Event receives session.opened, turn.raw and session.closed in order.
	Event(ctx context.Context, e events.Event) error
	// Delivered says that the agent has accepted the message: it is, or is about to
	// be, before the model.
	Delivered(ctx context.Context, id string)
	// Idle says that the session's task is done and the agent waits.
	Idle(ctx context.Context, session string)
	// Note shows people one line.
	Note(text string)
}

// Errors of Say and Halt.
var (
	// ErrUnsupported: the session cannot be reached, now or later.
	ErrUnsupported = errors.New("this session cannot be reached")
	// ErrAway: the agent does not answer at the moment; nothing was handed over.
	ErrAway = errors.New("the agent does not answer")
)

// HaltedError is what Run returns after a halt ended the agent: to its parent a
// halted agent looks like one that is done.
type HaltedError struct{ Reason string }

// Error says that it was a halt and why.
func (e *HaltedError) Error() string { return "halted by scaffoldwatch: " + e.Reason }
