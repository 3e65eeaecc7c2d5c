package rescue

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/rescue"
)

type restoreCommand struct {
	place
	Name   string   `arg:"" optional:"" help:"Name of the snapshot; the newest one if not given."`
	Paths  []string `arg:"" optional:"" help:"Only these files or folders."`
	Staged bool     `help:"Restage versions that were staged and differ from the files; the files stay as they are."`
	DryRun bool     `help:"Only list what would be written."`
}

// Help gives examples.
func (restoreCommand) Help() string {
	return `Writes the files that a snapshot changed or added. What is uncommitted then is kept in a
snapshot first. The index stays as it is, and no file is removed. With --staged it does the
reverse: it restages versions that were staged and differ from the files.

Examples:
  scaffoldwatch rescue restore --dry-run
  scaffoldwatch rescue restore s1-7
  scaffoldwatch rescue restore s1-7 src/a.go
  scaffoldwatch rescue restore s1-7 --staged`
}

// Run restores a snapshot.
func (c *restoreCommand) Run(r *cli.Call) error {
	s, err := rescue.Find(r, c.Dir, c.Name)
	if err != nil {
		return err
	}
	var done *rescue.Restored
	switch {
	case c.Staged && len(c.Paths) > 0:
		return fmt.Errorf("--staged stages all of a snapshot again: it does not accept paths")
	case c.Staged:
		done, err = s.RestoreStaged(r, c.Dir, c.DryRun, time.Now())
	default:
		done, err = s.Restore(r, c.Dir, c.Paths, c.DryRun, time.Now())
	}
	if err != nil {
		return err
	}
	if done.Before != nil {
		fmt.Fprintf(r.Stdout, "What was uncommitted is kept: %s\n", done.Before.Name)
	}
	verb := "restored"
	if c.DryRun {
		verb = "would restore"
	}
	for _, file := range done.Files {
		fmt.Fprintf(r.Stdout, "%s %s\n", verb, file)
	}
	for _, file := range done.Left {
		fmt.Fprintf(r.Stdout, "left %s: Git ignores it now, so no snapshot can save its content; remove it first\n", file)
	}
	return nil
}
