package preflight

import (
	"encoding/json"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
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
	// Said are the person's last messages, oldest first; Look finds what is not committed
	// where acts would run, nil if nobody can. It is asked only about acts.
	Said []string
	Look func([]destruct.Act) Work
	// Watch is what the call must leave alone.
	Watch Watch
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

// Work is what is not committed in a worktree.
type Work struct {
	// Unknown is why nothing is known of it, "" if it is known.
	Unknown string
	Files   []WorkFile
	// Unseen: nobody saw the worktree before the caller's session began, so that what no
	// session wrote may be anybody's.
	Unseen bool
	// Others are other sessions that are at work there.
	Others []string
}

// WorkFile is a file that is changed, new, or ignored though precious.
type WorkFile struct {
	Path      string // absolute
	Untracked bool
	Ignored   bool
	Own       bool   // the caller's session wrote it
	Session   string // another session wrote it
	Before    bool   // it was changed before the caller's session began
}
