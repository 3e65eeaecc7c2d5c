package githook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// commit is what Git says of one.
type commit struct {
	sha, author, message string
	parents              []string
	time                 time.Time
	files                []string
	blobs                map[string]string // path → id of the content; none for a file that was deleted
}

// look reads a commit.
func (r *Repository) look(ctx context.Context, dir, revision string) (commit, error) {
	text, err := r.git(ctx, dir, "log", "-1", "--no-show-signature", "--encoding=UTF-8", "--format=%H%x00%P%x00%an%x00%cI%x00%B", revision, "--")
	if err != nil {
		return commit{}, fmt.Errorf("look at commit %s: %w", revision, err)
	}
	fields := strings.SplitN(text, "\x00", 5)
	if len(fields) < 5 {
		return commit{}, fmt.Errorf("look at commit %s: git log gave %d fields", revision, len(fields))
	}
	c := commit{sha: fields[0], parents: strings.Fields(fields[1]), author: fields[2], message: strings.TrimSpace(fields[4])}
	if at, err := time.Parse(time.RFC3339, fields[3]); err == nil {
		c.time = at.UTC()
	}
	raw, err := r.git(ctx, dir, "diff-tree", "--root", "--no-commit-id", "--raw", "--no-renames", "--no-abbrev", "-r", "-z", "-m", "--first-parent", c.sha)
	if err != nil {
		return c, fmt.Errorf("list the files of commit %s: %w", c.sha, err)
	}
	c.files, c.blobs = changes(raw)
	return c, nil
}

// changes reads what Git prints with --raw -z: ":mode mode blob blob status", then
// the path, for each file (WP-6 compares the blobs).
func changes(raw string) (files []string, blobs map[string]string) {
	parts := list(raw)
	blobs = map[string]string{}
	for i := 0; i+1 < len(parts); i += 2 {
		about, file := strings.Fields(parts[i]), parts[i+1]
		files = append(files, file)
		if len(about) == 5 && strings.Trim(about[3], "0") != "" {
			blobs[file] = about[3]
		}
	}
	return files, blobs
}

// committed returns the fact of the commit just made; a commit with several parents
// is a merge (WP-3).
func (r *Repository) committed(ctx context.Context, i *Installation, c Call) ([]events.Event, error) {
	made, err := r.look(ctx, c.Dir, "HEAD")
	if err != nil {
		return nil, err
	}
	branch := r.worksOn(ctx, c.Dir)
	if len(made.parents) > 1 {
		return merges{r}.mergeFacts(ctx, i, made, "", branch, firstLine(made.message))
	}
	_, letter := c.agent(made.author)
	if _, on := placeOf(branch); letter == "" {
		letter = on
	}
	e := i.commitFact(made, branch, letter)
	d := e.Data.(*runevents.GitCommit)
	d.AllowMain = branch == i.Main && c.Getenv(AllowVariable) == "1"
	d.Purpose = c.Getenv("SAW_COMMIT_PURPOSE")
	return []events.Event{e}, r.note(toldCommit, made.sha, branch)
}

func (i *Installation) commitFact(made commit, branch, letter string) events.Event {
	return fact(i.Run, "commit "+made.sha, &runevents.GitCommit{
		Actor: actor, SHA: made.sha, Branch: branch, Main: branch == i.Main, Author: made.author, Letter: letter,
		Files: made.files, Blobs: made.blobs, Message: made.message,
	})
}

// rewritten counts the branch of a worktree again after Git replaced commits that
// were already published, so that each counts once.
func (r *Repository) rewritten(ctx context.Context, i *Installation, c Call) ([]events.Event, error) {
	branch := r.Branch(ctx, c.Dir)
	if branch == "" || branch == i.Main {
		return nil, nil
	}
	main, linked, err := r.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	var own []Worktree
	for _, w := range i.waves(linked) {
		if w.Branch == branch {
			own = append(own, w)
		}
	}
	if len(own) == 0 {
		return nil, nil
	}
	return trees{r}.countFact(ctx, i, main, linked, own, "")
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}
