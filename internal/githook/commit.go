package githook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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
	text, err := git(ctx, dir, "log", "-1", "--format=%H%x00%P%x00%an%x00%cI%x00%B", revision)
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
	raw, err := git(ctx, dir, "diff-tree", "--root", "--no-commit-id", "--raw", "--no-abbrev", "-r", "-z", "-m", "--first-parent", c.sha)
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

// committed tells of the commit that was just made; one with several parents is
// a merge (WP-3).
func (r *Repository) committed(ctx context.Context, i *Installation, c Call) ([]events.Event, error) {
	made, err := r.look(ctx, c.Dir, "HEAD")
	if err != nil {
		return nil, err
	}
	branch := r.Branch(ctx, c.Dir)
	if len(made.parents) > 1 {
		return []events.Event{r.mergeFact(ctx, i, c.Dir, made, branch, firstLine(made.message))}, nil
	}
	_, letter := c.agent(made.author)
	if _, on := placeOf(branch); letter == "" {
		letter = on
	}
	e := fact(i.Run, "commit "+made.sha, &events.GitCommit{
		Actor: actor, SHA: made.sha, Branch: branch, Author: made.author, Letter: letter, Files: made.files, Blobs: made.blobs,
		AllowMain: branch == i.Main && c.Getenv(AllowVariable) == "1", Purpose: c.Getenv("SAW_COMMIT_PURPOSE"), Message: made.message,
	})
	return []events.Event{e}, nil
}

// merged tells of a merge without conflicts; Git notes in its log what was merged,
// also where no commit came of it.
func (r *Repository) merged(ctx context.Context, i *Installation, c Call) ([]events.Event, error) {
	made, err := r.look(ctx, c.Dir, "HEAD")
	if err != nil {
		return nil, err
	}
	noted, err := line(git(ctx, c.Dir, "reflog", "-1", "--format=%gs", "HEAD"))
	if err != nil {
		noted = firstLine(made.message)
	}
	return []events.Event{r.mergeFact(ctx, i, c.Dir, made, r.Branch(ctx, c.Dir), noted)}, nil
}

// mergeFact reads "merge wave1-agent-A: Fast-forward" and its like.
func (r *Repository) mergeFact(ctx context.Context, i *Installation, dir string, made commit, into, noted string) events.Event {
	branch, output := "", noted
	if rest, is := strings.CutPrefix(noted, "merge "); is {
		branch, output, _ = strings.Cut(rest, ": ")
	} else if len(made.parents) > 1 {
		branch = r.nameOf(ctx, dir, made.parents[1])
	}
	return fact(i.Run, "merge "+made.sha+" "+into, &events.GitMerge{Actor: actor, Branch: branch, Into: into, Output: output})
}

// nameOf is the branch at a commit, else the commit itself.
func (r *Repository) nameOf(ctx context.Context, dir, sha string) string {
	names, err := git(ctx, dir, "for-each-ref", "--points-at", sha, "--format=%(refname:short)", "refs/heads")
	if name := firstLine(names); err == nil && name != "" {
		return name
	}
	return sha
}

func firstLine(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return first
}
