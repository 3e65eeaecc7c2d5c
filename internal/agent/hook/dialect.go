package hook

import (
	"fmt"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Inject says where a text can reach the model.
type Inject string

// Where a text can reach the model.
const (
	InjectMidTool      Inject = "mid-tool"      // with the next request, after a tool
	InjectTurnBoundary Inject = "turn boundary" // when a response ends
	InjectNone         Inject = "none"
)

// Halt says what stopping an agent means.
type Halt string

// What stopping an agent means.
const (
	HaltHard Halt = "hard" // no tool runs and no request is made any more
	HaltSoft Halt = "soft" // no tool runs; the model gets the reason until it ends
	HaltNone Halt = "none"
)

// Dialect is how one agent calls its hooks and what it accepts as a reply. What
// can be done through them was measured with the real command lines against mock
// models; Cursor's is from its documentation.
type Dialect struct {
	Agent  string // as turns carry it as agent.kind
	Inject Inject
	Halt   Halt
	// Batches marks an agent that reports when all tool calls of a response are
	// complete, so that this ends a turn and not each call.
	Batches bool
	// Conversations marks an agent whose sessions are named by conversation_id.
	Conversations bool
	// Hooks are the hooks that say something, by name.
	Hooks map[string]*Kind
	// Outcome fills in the result of a call that did not fail.
	Outcome func(*sessionevents.Block, Result)
	// Reply returns what is written for a reply to an event, nil for nothing.
	Reply func(*Event, Reply) any
}

// Dialects are the dialects that are understood.
type Dialects []*Dialect

// Agents returns the agents whose dialects these are.
func (list Dialects) Agents() []string {
	names := make([]string, len(list))
	for i, d := range list {
		names[i] = d.Agent
	}
	return names
}

// Named returns the dialect of an agent; the error lists those that exist.
func (list Dialects) Named(agent string) (*Dialect, error) {
	for _, d := range list {
		if d.Agent == agent {
			return d, nil
		}
	}
	return nil, fmt.Errorf("no agent called %q has hooks here; there are %s", agent, strings.Join(list.Agents(), ", "))
}
