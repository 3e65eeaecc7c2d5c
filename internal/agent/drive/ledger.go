// Package drive holds what drivers of agents share. A [Driver] drives one kind of agent, as a child process
// or through the agent's own interface: it reads turns as they happen, delivers interrupts and halts it.
// Each agent's own package holds its driver; package relay connects one to a running system.
package drive

import (
	"context"
	"errors"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Ledger passes events to a sink and remembers which sessions they opened, for a driver that must close
// them. The zero value is empty.
type Ledger struct {
	open []*sessionevents.SessionOpened
}

// Hand passes the events to the sink in order.
func (l *Ledger) Hand(ctx context.Context, sink Sink, list []events.Event) error {
	for _, e := range list {
		if opened, ok := e.Data.(*sessionevents.SessionOpened); ok {
			l.open = append(l.open, opened)
		}
		if err := sink.Event(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the sessions that were opened, subagents first (DP-30).
func (l *Ledger) Close(ctx context.Context, sink Sink, reason string) error {
	var problems []error
	for i := len(l.open) - 1; i >= 0; i-- {
		s := l.open[i]
		e := events.Event{Type: sessionevents.TypeSessionClosed, Subject: s.Session, Data: &sessionevents.SessionClosed{Session: s.Session, Reason: reason}}
		if s.Run != "" {
			e.Correlation, e.PartitionKey = s.Run, s.Run
		}
		problems = append(problems, sink.Event(ctx, e))
	}
	l.open = nil
	return errors.Join(problems...)
}

// Priority determines how soon a message must reach the agent.
type Priority string

// Priorities.
const (
	// Next sends it with the agent's next request to its model; an idle agent reads it with the next
	// prompt, if it can.
	Next Priority = "next"
	// Now does the same, and makes an idle agent continue with it.
	Now Priority = "now"
)

// Message is a message to an agent.
type Message struct {
	ID       string // id of the interrupt
	Session  string // as in the events of the session
	Text     string
	Priority Priority
}

// Driver drives one agent, or a server of agents. Say and Halt are safe for concurrent use and while Run
// runs.
type Driver interface {
	// Run reads what the agent does until the agent or ctx ends. It returns nil if the agent ended by
	// itself or ctx did, and otherwise an error with the reason.
	Run(ctx context.Context, sink Sink) error
	// Say sends a message. The error wraps ErrUnsupported if the session can never receive it, and ErrAway
	// if it certainly did not receive it now; any other error leaves that open.
	Say(ctx context.Context, m Message) error
	// Halt stops the session at once, with a reason for people. Errors are those of Say.
	Halt(ctx context.Context, session, reason string) error
	// Channel returns the name of the channel in delivery facts, such as "drive:codex".
	Channel() string
}

// Pauser is a driver whose agent can wait in the middle of its task: it keeps its state and continues where
// it was. Errors are those of Say.
type Pauser interface {
	Pause(ctx context.Context, session string) error
	Resume(ctx context.Context, session string) error
}

// Sink receives what a driver observes. Calls come from one goroutine of the driver.
type Sink interface {
	// Event receives session.opened, turn.raw and session.closed in order.
	Event(ctx context.Context, e events.Event) error
	// Delivered reports that the agent has accepted the message: it has reached, or is about to reach, the
	// model.
	Delivered(ctx context.Context, id string)
	// Idle reports that the session's task is done and the agent waits.
	Idle(ctx context.Context, session string)
	// Note shows people a line of text.
	Note(text string)
}

// Errors of Say and Halt.
var (
	// ErrUnsupported means that the session cannot be reached, now or later.
	ErrUnsupported = errors.New("the session cannot be reached")
	// ErrAway means that the agent does not answer at the moment; nothing was delivered.
	ErrAway = errors.New("the agent does not answer")
)

// HaltedError is returned by Run after a halt ended the agent: to its parent, a halted agent looks like one
// that is done.
type HaltedError struct{ Reason string }

// Error returns that it was a halt, and why.
func (e *HaltedError) Error() string { return "halted by scaffoldwatch: " + e.Reason }
