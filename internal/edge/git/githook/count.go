package githook

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Count returns how many commits of its own each worktree's branch has, and what is
// uncommitted on main: the facts the trip wire decides on (WP-1). It includes commits
// that no hook saw, on main too. With a base it counts base..branch; without one
// what the branch has on top of main, so that what came to main meanwhile is
// nobody's.
func Count(ctx context.Context, r *Repository, i *Installation, base string) ([]events.Event, error) {
	facts, err := trees{r}.compare(ctx, i)
	if err != nil {
		return facts, err
	}
	main, linked, err := r.Worktrees(ctx)
	if err != nil {
		return facts, err
	}
	if base != "" {
		sha := merges{r}.headOf(ctx, base)
		if sha == "" {
			return facts, fmt.Errorf("count the commits of the branches: no commit %s in this repository", base)
		}
		base = sha
	}
	missed, err := merges{r}.missed(ctx, i, i.waves(linked))
	facts = append(facts, missed...)
	if err != nil {
		return facts, err
	}
	counted, err := trees{r}.countFact(ctx, i, main, linked, i.waves(linked), base)
	return append(facts, counted...), err
}

// countFact counts some worktrees' branches.
func (r trees) countFact(ctx context.Context, i *Installation, main string, linked, waves []Worktree, base string) ([]events.Event, error) {
	counted := &runevents.GitCounted{Actor: actor, Base: cmp.Or(base, i.Base), Branches: []runevents.BranchCount{}}
	for _, w := range waves {
		one, err := r.count(ctx, i, base, w)
		if err != nil {
			return nil, err
		}
		if one.Branch != "" {
			counted.Branches = append(counted.Branches, one)
		}
	}
	var err error
	if files := r.mainFiles(i, main, linked); files != "" {
		counted.UncommittedOnMain, err = r.uncommitted(ctx, files)
	}
	return []events.Event{fact(i.Run, "", counted)}, err
}

// count counts one branch. During a rebase its worktree has no branch checked out; a branch that is gone, or
// that has no commit yet, counts as empty.
func (r trees) count(ctx context.Context, i *Installation, base string, w Worktree) (runevents.BranchCount, error) {
	seen, _ := r.recall(w)
	one := runevents.BranchCount{Branch: cmp.Or(w.Branch, seen.Branch), Letter: w.Letter, Wave: w.Wave}
	if one.Branch == "" {
		return one, nil
	}
	if one.Head = merges(r).headOf(ctx, heads+one.Branch); one.Head == "" {
		return one, nil
	}
	if base == "" {
		if base = r.begin(ctx, i, one.Head, seen); base == one.Head {
			return one, nil
		}
		one.Base = base
	}
	span := base + ".." + one.Head
	text, err := line(r.git(ctx, r.Dir, "rev-list", "--count", span, "--"))
	if err == nil {
		one.Commits, err = strconv.Atoi(text)
	}
	if err != nil {
		return one, fmt.Errorf("count the commits of %s (%s): %w", one.Branch, span, err)
	}
	one.Files, err = r.changed(ctx, base, one.Head)
	if err != nil {
		return one, fmt.Errorf("list what %s changed: %w", one.Branch, err)
	}
	return one, nil
}

// changed lists the files that differ between the fork point of two lines and the second one; a renamed file
// is listed under both names.
func (r trees) changed(ctx context.Context, base, head string) ([]string, error) {
	names, err := r.git(ctx, r.Dir, "diff-tree", "-r", "--name-only", "--no-renames", "-z", cmp.Or(r.forkOf(ctx, base, head), base), head)
	return list(names), err
}

// begin returns the commit on top of which a branch has commits of its own. For a branch that is part of
// main, because it was merged or only follows main, that is its head.
func (r trees) begin(ctx context.Context, i *Installation, head string, seen known) string {
	fork := r.forkPoint(ctx, i, head)
	switch {
	case fork != head:
		return cmp.Or(fork, i.Base)
	case r.ownHead(ctx, i, head, seen, r.told()):
		return cmp.Or(seen.Base, i.Base)
	}
	return head
}

// ownHead reports whether a commit that is part of main was made on its branch: a hook saw it there, or it
// reached main through a merge.
func (r trees) ownHead(ctx context.Context, i *Installation, head string, seen known, t ledger) bool {
	if head == seen.Base {
		return false
	}
	if branch, is := t.commits[head]; is {
		return branch == seen.Branch && branch != i.Main
	}
	return t.merged[head] || !r.firstParents(ctx, i, cmp.Or(seen.Base, i.Base))[head]
}

// firstParents returns the commits made on main itself since a commit, without those that merges brought in.
func (r trees) firstParents(ctx context.Context, i *Installation, since string) map[string]bool {
	text, err := r.git(ctx, r.Dir, "rev-list", "--first-parent", since+".."+heads+i.Main, "--")
	if err != nil {
		return nil
	}
	on := map[string]bool{}
	for _, sha := range lines(text) {
		on[sha] = true
	}
	return on
}

// uncommitted returns the files of the main worktree that differ from its commit, without the folder of the
// worktrees.
func (r trees) uncommitted(ctx context.Context, main string) ([]string, error) {
	text, err := r.git(ctx, main, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--", ".", ":(exclude).claude/worktrees")
	if err != nil {
		return nil, fmt.Errorf("look for uncommitted changes on main: %w", err)
	}
	var files []string
	for _, entry := range list(text) {
		if len(entry) > 3 {
			files = append(files, entry[3:])
		}
	}
	return files, nil
}
