// Package githook is infrastructure in a Git repository: ephemeral hooks that keep
// agents off the main branch while their worktrees exist, and facts about commits,
// merges and worktrees as Git itself reports them, published with the credential of
// the infrastructure (EV-10, WP-4, WP-18).
//
// [Install] writes the hooks and keeps those that were there; [Hook] is what they
// run; [Count] compares branches with their base; [Remove] puts everything back.
// The block needs no broker, and no hook but pre-commit ever fails: Git goes on
// when scaffoldwatch cannot be reached. The repository's own place for what must be remembered is the
// folder "scaffoldwatch" in its common Git directory.
package githook
