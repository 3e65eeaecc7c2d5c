package preflight

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// commit answers for commits to main while worktrees of the run exist (WP-4). If the
// branch is unknown, the answer is at most a warning.
func (c *Checker) commit(call *Call) Answer {
	mode := c.config.Classes.CommitToMain
	if mode == ModeOff || len(call.Checkout.Worktrees) == 0 {
		return allowed("")
	}
	block := call.Block()
	command, effects, ok := c.segmenter.Shell(&block)
	if !ok || call.Orchestrator && strings.Contains(command, c.config.AllowVariable+"=") {
		return allowed("")
	}
	for i := range effects.Git {
		git := &effects.Git[i]
		if slices.Contains(c.config.Switches, git.Subcommand) {
			return allowed("") // the branch of what follows is unknown
		}
		if c.commitsToMain(call, git) {
			return c.observed(c.mainCommit(call, mode))
		}
	}
	return allowed("")
}

func (c *Checker) commitsToMain(call *Call, git *shell.GitCall) bool {
	dry := slices.ContainsFunc(git.Arguments, func(a string) bool { return slices.Contains(c.config.Dry, a) })
	if !slices.Contains(c.config.Commits, git.Subcommand) || dry || git.Lost {
		return false
	}
	where := under(cmp.Or(call.Directory, call.Workspace), git.Directory)
	for _, worktree := range call.Checkout.Worktrees {
		if within(where, under(call.Workspace, worktree.Path)) {
			return false
		}
	}
	if call.Workspace != "" && !within(where, call.Workspace) {
		return false // another repository
	}
	branch := call.Checkout.Branch
	return branch == "" || slices.Contains(c.config.MainBranches, branch)
}

func (c *Checker) mainCommit(call *Call, mode Mode) Answer {
	instead := "the worktree of its task"
	if own := call.Checkout.Own; own != "" {
		instead = own
	}
	answer := Answer{
		Decision: mode.decision(), Class: ClassCommit, Rule: "WP-4",
		Text:   c.worded("Worktrees of this run exist, so main takes no commits now; commit in " + instead + "."),
		Reason: "A commit to main while " + text.Count(len(call.Checkout.Worktrees), "worktree exists", "worktrees exist") + ".",
	}
	if call.Checkout.Branch == "" || call.Directory == "" && call.Workspace == "" {
		answer.Reason = strings.TrimSuffix(answer.Reason, ".") + "; the branch is not certain."
		answer.Decision = Warn
	}
	return answer
}

// under returns a path relative to a folder.
func under(folder, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(folder, name)
}

// within reports whether a path is a folder or inside it.
func within(name, folder string) bool {
	folder = path.Clean(folder)
	return name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/")
}

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
