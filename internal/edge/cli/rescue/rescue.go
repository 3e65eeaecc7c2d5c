// Package rescue holds the commands for snapshots of uncommitted work.
package rescue

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/rescue"
)

// Rescue groups the commands. They need only Git, not a running system.
type Rescue struct {
	List    listCommand    `cmd:"" default:"withargs" help:"List the snapshots of a repository, newest first."`
	Show    showCommand    `cmd:"" help:"Show the files of a snapshot."`
	Restore restoreCommand `cmd:"" help:"Write the files of a snapshot to the worktree."`
	Prune   pruneCommand   `cmd:"" help:"Remove snapshots older than 14 days."`
}

// place selects where a command works.
type place struct {
	Dir string `help:"Folder in the worktree." type:"existingdir" default:"." placeholder:"FOLDER"`
}

type listCommand struct {
	place
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help gives examples.
func (listCommand) Help() string {
	return `Lists the snapshots of uncommitted work that were made before destructive commands ran.

Examples:
  scaffoldwatch rescue list
  scaffoldwatch rescue list --output json`
}

// listed is the JSON form of a snapshot.
type listed struct {
	Name   string    `json:"name"`
	Ref    string    `json:"ref"`
	Commit string    `json:"commit"`
	Time   time.Time `json:"time"`
	Before string    `json:"before"`
}

// Run prints the snapshots.
func (c *listCommand) Run(r *cli.Call) error {
	list, err := rescue.List(r, c.Dir)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		out := []listed{}
		for _, s := range list {
			out = append(out, listed{s.Name, s.Ref, s.Commit, s.Time, s.Why})
		}
		return cli.Indented(r.Stdout, out)
	}
	if len(list) == 0 {
		fmt.Fprintln(r.Stdout, "No snapshots.")
	}
	names := rescue.Short(list)
	for i := range list {
		s := &list[i]
		holds, err := c.holds(r, s)
		if err != nil {
			return err
		}
		fmt.Fprintf(r.Stdout, "%s, before %s: %s\n", s.Time.Local().Format("2006-01-02 15:04"), s.Why, holds)
		fmt.Fprintf(r.Stdout, "  scaffoldwatch rescue restore %s%s\n", names[i], c.elsewhere())
	}
	return nil
}

// maxFiles is how many files of a snapshot the list names.
const maxFiles = 3

// holds names the files of a snapshot.
func (c *listCommand) holds(r *cli.Call, s *rescue.Snapshot) (string, error) {
	changes, err := s.Changes(r, c.Dir)
	if err != nil {
		return "", err
	}
	var files []string
	for _, change := range changes[:min(maxFiles, len(changes))] {
		files = append(files, quote.Path(change.Path))
	}
	text := strings.Join(files, ", ")
	if more := len(changes) - len(files); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return cmp.Or(text, "what was staged"), nil
}

// elsewhere is the flag for a worktree that is not that of the current folder.
func (p place) elsewhere() string {
	if here, err := os.Getwd(); err != nil || p.Dir == here || p.Dir == "." {
		return ""
	}
	quoted, err := syntax.Quote(p.Dir, syntax.LangPOSIX)
	if err != nil {
		return ""
	}
	return " --dir " + quoted
}

type showCommand struct {
	place
	Name  string   `arg:"" optional:"" help:"Name of the snapshot; the newest one if not given."`
	Paths []string `arg:"" optional:"" help:"Only these files or folders."`
	Patch bool     `short:"p" help:"Show the changes."`
}

// Help gives examples.
func (showCommand) Help() string {
	return `Shows which files a snapshot added (A), changed (M) or removed (D).

Examples:
  scaffoldwatch rescue show
  scaffoldwatch rescue show s1-7 --patch`
}

// Run prints a snapshot.
func (c *showCommand) Run(r *cli.Call) error {
	s, err := rescue.Find(r, c.Dir, c.Name)
	if err != nil {
		return err
	}
	if c.Patch {
		patch, err := s.Patch(r, c.Dir, c.Paths...)
		fmt.Fprint(r.Stdout, patch)
		return err
	}
	changes, err := s.Changes(r, c.Dir, c.Paths...)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.Stdout, "%s, %s, before %s\n", s.Name, s.Time.Local().Format("2006-01-02 15:04"), s.Why)
	for _, change := range changes {
		fmt.Fprintf(r.Stdout, "  %s %s\n", change.Status, change.Path)
	}
	staged, err := s.StagedFiles(r, c.Dir)
	for _, name := range staged {
		fmt.Fprintf(r.Stdout, "  another version is staged: %s\n", name)
	}
	return err
}

type pruneCommand struct {
	place
	DryRun bool `help:"Only list what would be removed."`
}

// Help gives an example.
func (pruneCommand) Help() string {
	return `Removes snapshots older than 14 days. A new snapshot does that as well.

Examples:
  scaffoldwatch rescue prune --dry-run`
}

// Run removes old snapshots.
func (c *pruneCommand) Run(r *cli.Call) error {
	old, err := rescue.Prune(r, c.Dir, time.Now(), c.DryRun)
	for _, s := range old {
		fmt.Fprintf(r.Stdout, "%s%s\n", map[bool]string{true: "would remove ", false: "removed "}[c.DryRun], s.Name)
	}
	return err
}
