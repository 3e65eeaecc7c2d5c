package pipeline

// ownWorktree notes that the run declares a worktree: its branch is known from
// there (PL-6).
func (w *watch) ownWorktree(declared bool) {
	if declared {
		w.run.OwnWorktree = true
	}
}
