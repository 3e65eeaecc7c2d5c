package preflight

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
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
