package hook

import (
	"fmt"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Inject is where a text can reach the model.
type Inject string

// Places where a text can reach the model.
const (
	InjectMidTool      Inject = "mid-tool"      // with the next request, after a tool
	InjectTurnBoundary Inject = "turn boundary" // when a response ends
	InjectNone         Inject = "none"
)

// Halt is the effect of stopping an agent.
type Halt string

// Effects of stopping an agent.
const (
	HaltHard Halt = "hard" // no more tools run and no more requests are made
	HaltSoft Halt = "soft" // no more tools run; the model receives the reason until it ends
	HaltNone Halt = "none"
)

// Dialect is how one agent calls its hooks and which replies it accepts. What hooks can do was measured
// with the real command lines against mock models; for Cursor it is from the documentation.
type Dialect struct {
	Agent  string // as in agent.kind of turns
	Inject Inject
	Halt   Halt
	// Batches marks an agent that reports when all tool calls of a response are complete, so that this
	// event ends a turn rather than each call.
	Batches bool
	// Conversations marks an agent that identifies sessions by conversation_id.
	Conversations bool
	// Hooks are the hooks that are understood, by name.
	Hooks map[string]*Kind
	// Outcome completes the result of a call that did not fail.
	Outcome func(*sessionevents.Block, Result)
	// Reply returns the encoded form of a reply to an event, nil for nothing.
	Reply func(*Event, Reply) any
}

// Dialects is a list of dialects.
type Dialects []*Dialect

// Agents returns the agents of the dialects.
func (list Dialects) Agents() []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.Agent
	}
	return names
}

// Named returns the dialect of an agent; the error lists the known ones.
func (list Dialects) Named(agent string) (*Dialect, error) {
	for _, d := range list {
		if d.Agent == agent {
			return d, nil
		}
	}
	return nil, fmt.Errorf("no agent called %q has hooks here; there are %s", agent, strings.Join(list.Agents(), ", "))
}
