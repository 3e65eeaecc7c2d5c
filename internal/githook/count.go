package githook

import (
	"context"
	"fmt"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Count tells what each worktree's branch holds on top of its base, and what lies
// uncommitted on main: what the trip wire is decided on (WP-1). It sees commits
// that no hook saw. An empty base is where main stood when the hooks came.
func Count(ctx context.Context, r *Repository, i *Installation, base string) ([]events.Event, error) {
	facts, err := r.compare(ctx, i)
	if err != nil {
		return facts, err
	}
	main, linked, err := r.Worktrees(ctx)
	if err != nil {
		return facts, err
	}
	if base == "" {
		base = i.Base
	}
	counted := &events.GitCounted{Actor: actor, Base: base, Branches: []events.BranchCount{}}
	for _, w := range i.waves(linked) {
		if w.Branch == "" {
			continue
		}
		one, err := r.count(ctx, base, w)
		if err != nil {
			return facts, err
		}
		counted.Branches = append(counted.Branches, one)
	}
	if counted.UncommittedOnMain, err = r.uncommitted(ctx, main); err != nil {
		return facts, err
	}
	return append(facts, fact(i.Run, "", counted)), nil
}

func (r *Repository) count(ctx context.Context, base string, w Worktree) (events.BranchCount, error) {
	one := events.BranchCount{Branch: w.Branch, Letter: w.Letter, Wave: w.Wave}
	span := base + ".." + w.Branch
	text, err := line(git(ctx, r.Dir, "rev-list", "--count", span, "--"))
	if err == nil {
		one.Commits, err = strconv.Atoi(text)
	}
	if err != nil {
		return one, fmt.Errorf("count the commits of %s: %w", span, err)
	}
	if one.Head, err = line(git(ctx, r.Dir, "rev-parse", "refs/heads/"+w.Branch)); err != nil {
		return one, fmt.Errorf("find the head of %s: %w", w.Branch, err)
	}
	names, err := git(ctx, r.Dir, "diff", "--name-only", "-z", base+"..."+w.Branch, "--")
	if err != nil {
		return one, fmt.Errorf("list what %s changed: %w", w.Branch, err)
	}
	one.Files = list(names)
	return one, nil
}

// uncommitted are the files of the main worktree that differ from its commit; the
// folder of the worktrees is none of them.
func (r *Repository) uncommitted(ctx context.Context, main string) ([]string, error) {
	text, err := git(ctx, main, "status", "--porcelain", "-z", "--untracked-files=all", "--", ".", ":(exclude).claude/worktrees")
	if err != nil {
		return nil, fmt.Errorf("look for uncommitted changes on main: %w", err)
	}
	var files []string
	entries := list(text)
	for n := 0; n < len(entries); n++ {
		if entry := entries[n]; len(entry) > 3 {
			files = append(files, entry[3:])
			if entry[0] == 'R' || entry[0] == 'C' {
				n++ // the name it had before
			}
		}
	}
	return files, nil
}
