package preflight

import (
	"encoding/json"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Call is a tool call that is about to run, with its caller's knowledge.
type Call struct {
	Session string
	Run     string
	Name    string          // the agent's name for the tool
	Input   json.RawMessage // its input as given by the agent
	// Directory is where it would run, "" for the workspace; Workspace is the session's
	// folder, "" if unknown. Both are absolute.
	Directory string
	Workspace string
	// State is the control state of the session or its run, the stricter one; "" and unknown do not
	// halt (EV-8). Halt is the reason of a halt.
	State runevents.ControlState
	Halt  string
	// Orchestrator reports whether the call is the orchestrator's own (WP-4).
	Orchestrator bool
	Checkout     Checkout
	// Mutes are the session's, from [dispatch.MuteOf]; those of the project are known.
	// Turn, the turn of the call, and At decide whether one has expired.
	Mutes []budget.Mute
	Turn  int
	At    time.Time
	// Said are the person's last messages, oldest first; Offer is what the agent said
	// before the last of them.
	Said  []string
	Offer string
	// Facts provides what is known about the places that the call affects, nil if they
	// cannot be observed. It is only queried about what would be destroyed.
	Facts guard.Facts
	// Elsewhere reports whether the destructive effects of the call were already judged
	// where the agent runs.
	Elsewhere bool
	// Watch describes the running system, which the call must leave alone.
	Watch Watch
	// Permission is a person's permission for this very call, nil if there is none
	// (GD-11).
	Permission *sessionevents.GuardPermission

	read *effects // of the call, once they have been read
}

// Block returns the call as a block of a turn.
func (c *Call) Block() sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockToolCall, Name: c.Name, Input: c.Input}
}

// Checkout is the repository as reported for a run; the zero value, without worktrees,
// disables WP-4.
type Checkout struct {
	// Branch is the main checkout's branch, "" if unknown.
	Branch    string
	Worktrees []Worktree
	// Own is the path of the caller's worktree, "" if it has none.
	Own string
}

// Worktree is an existing worktree; Path is absolute, or relative to the workspace.
type Worktree struct {
	Path   string
	Branch string
}
