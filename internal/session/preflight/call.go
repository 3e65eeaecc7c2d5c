package preflight

import (
	"encoding/json"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Call is a tool call that is about to run, with what its caller knows.
type Call struct {
	Session string
	Run     string
	Name    string          // the tool, as the agent names it
	Input   json.RawMessage // its input, as the agent gives it
	// Directory is where it would run, "" for the workspace; Workspace the
	// session's folder, "" unknown. Both absolute.
	Directory string
	Workspace string
	// State is the control state of the session or its run, the stricter one; "" and unknown do not
	// halt (EV-8). Halt is the reason of a halt.
	State runevents.ControlState
	Halt  string
	// Orchestrator says that the call is the orchestrator's own (WP-4).
	Orchestrator bool
	Checkout     Checkout
	// Mutes are the session's, from [dispatch.MuteOf]; those of the project are
	// known. Turn, the one the call is part of, and At say whether one has run out.
	Mutes []budget.Mute
	Turn  int
	At    time.Time
	// Said are the person's last messages, oldest first; Offer is what the agent had said before the
	// last of them.
	Said  []string
	Offer string
	// Facts are what is known of the places that the call is about, nil if nobody sees them. They are
	// asked only about what would be destroyed.
	Facts guard.Facts
	// Elsewhere says that what the call would destroy was judged where the agent runs.
	Elsewhere bool
	// Watch is what the call must leave alone.
	Watch Watch
	// Permission is a person's leave for this very call, nil without one (GD-11).
	Permission *sessionevents.GuardPermission
}

// Block is the call as a block of a turn.
func (c *Call) Block() sessionevents.Block {
	return sessionevents.Block{Type: sessionevents.BlockToolCall, Name: c.Name, Input: c.Input}
}

// Checkout is the repository that a run reported; the zero value, without worktrees, switches WP-4
// off.
type Checkout struct {
	// Branch is the main checkout's branch, "" if unknown.
	Branch    string
	Worktrees []Worktree
	// Own is the path of the caller's worktree, "" when it has none.
	Own string
}

// Worktree is one that exists now; Path is absolute, or relative to the workspace.
type Worktree struct {
	Path   string
	Branch string
}
