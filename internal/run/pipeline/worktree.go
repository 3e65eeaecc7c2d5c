package pipeline

// ownWorktree notes that the run declares a worktree: its branch is known from
// there (PL-6).
func (c *Context) ownWorktree(declared bool) {
	if declared {
		c.run.OwnWorktree = true
	}
}
