package hookclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/hook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/wire"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Environment variables in place of the flags of a call.
const (
	VariableURL   = "SCAFFOLDWATCH_HOOK_URL"
	VariableToken = "SCAFFOLDWATCH_HOOK_TOKEN"
	VariableRun   = "SCAFFOLDWATCH_HOOK_RUN"
)

// DefaultTimeout is how long an agent waits for an answer. If there is none the guard decides alone and may
// need as long again, and the agents end a hook after five seconds.
const DefaultTimeout = 2500 * time.Millisecond

const (
	maxInput = 16 << 20
	maxReply = 1 << 20
)

// Call is one hook call.
type Call struct {
	Agent      *hook.Dialect
	URL        string // http, https or unix
	Token      string // "" means the agent's own, see package hooktoken
	Run        string // the run that the session belongs to, "" for none
	Timeout    time.Duration
	FailClosed bool // deny every tool while the system does not answer
	// Notes is the folder that records what a session's person has been shown and which address does not
	// answer; "" disables messages.
	Notes string
	// Alone answers if the system does not (GD-20); begins means that the session only begins with this
	// hook. Nil permits every tool.
	Alone func(e *hook.Event, begins bool) (hook.Reply, error)
	// Judge is Alone for a system that cannot see the workspace: its judgement is sent to the system, which
	// records it. Nil judges nothing.
	Judge func(e *hook.Event, begins bool) (wire.Judged, error)
	// Explain receives the address, without a password, and the reason for a missing answer; nil drops it.
	Explain func(address string, why error)
}

// Answer passes the hook's JSON from in to the system and writes the reply for the agent, if any. It fails
// only if it was called wrongly.
func (c Call) Answer(ctx context.Context, in io.Reader, out io.Writer) error {
	if c.Run != "" && !events.ValidID(c.Run) {
		return fmt.Errorf("--run %q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", c.Run)
	}
	to, err := addressOf(c.URL)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	input, err := readInput(ctx, in)
	if err != nil {
		return fmt.Errorf("read the hook's JSON: %w", err)
	}
	if c.Notes != "" {
		noteHeard(c.Notes, c.Agent.Agent)
	}
	reply, problem := c.ask(ctx, to, input)
	if problem != nil {
		if c.Explain != nil {
			c.Explain(to.shown, problem)
		}
		reply = c.unanswered(input, problem)
	} else if reply = bytes.TrimSpace(reply); string(reply) == "{}" {
		reply = nil // nothing to say
	}
	if len(reply) == 0 {
		return nil
	}
	_, err = fmt.Fprintf(out, "%s\n", reply)
	return err
}

// readInput reads the hook's input. It does not wait for an agent that leaves the pipe open.
func readInput(ctx context.Context, in io.Reader) ([]byte, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data, err := io.ReadAll(io.LimitReader(in, maxInput))
		done <- read{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, errors.New("standard input did not end within --timeout")
	}
}

// unanswered returns the reply if the system does not answer: a denial if the agent asks about a tool and
// the installation fails closed, else what the guard decides alone, else the session's one message, else
// nothing.
func (c Call) unanswered(input []byte, problem error) []byte {
	event, err := c.Agent.Parse(input)
	if err != nil {
		return nil
	}
	var reply hook.Reply
	if c.FailClosed && event.Point == hook.PointBeforeTool {
		reply.Deny = "scaffoldwatch does not answer, and this installation runs no tool without it (--fail-closed). Start it with `scaffoldwatch up`."
	} else if c.Alone != nil {
		if reply, err = c.Alone(&event, c.begins(&event)); err != nil && c.Explain != nil {
			c.Explain("the guard", err)
		}
	}
	if reply.Person == "" && event.Shows() {
		reply.Person = c.note(event.Session, problem)
	}
	if reply == (hook.Reply{}) {
		return nil
	}
	data, err := event.Encode(reply)
	if err != nil {
		return nil
	}
	return data
}

// token returns the token with which the call authenticates.
func (c Call) token(to address) string {
	if c.Token != "" || !to.private {
		return c.Token
	}
	return hooktoken.Read(hooktoken.Folder(os.Getenv), c.Agent.Agent)
}
