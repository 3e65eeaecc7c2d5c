package githook

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// maxMissed is how many of the newest commits of main are examined.
const maxMissed = 1000

// missed returns the facts of commits and merges on main that bypassed the hooks: made by `commit-tree`, with
// other hooks, or by moving the branch (WP-3, WP-4). Commits from a remote were made elsewhere; those before
// the first worktree needed no guard.
func (r merges) missed(ctx context.Context, i *Installation, waves []Worktree) ([]events.Event, error) {
	if i.Base == "" || len(waves) == 0 {
		return nil, nil
	}
	t := r.told()
	facts, err := r.merges(ctx, i, waves, t)
	if err != nil {
		return facts, err
	}
	t = r.told()
	text, err := r.git(ctx, r.Dir, "rev-list", "--first-parent", "--parents", fmt.Sprint("--max-count=", maxMissed), i.Base+".."+heads+i.Main, "--not", "--remotes", "--")
	if err != nil {
		return facts, fmt.Errorf("look for commits on %s that no hook saw: %w", i.Main, err)
	}
	since := r.firstSeen(waves)
	entries := lines(text)
	slices.Reverse(entries) // the oldest first
	for _, entry := range entries {
		sha, parents, _ := strings.Cut(entry, " ")
		if _, is := t.commits[sha]; is || t.merged[sha] {
			continue
		}
		more, err := r.tellMissed(ctx, i, sha, strings.Contains(parents, " "), since)
		facts = append(facts, more...)
		if err != nil {
			return facts, err
		}
	}
	return facts, nil
}

func (r merges) tellMissed(ctx context.Context, i *Installation, sha string, merge bool, since time.Time) ([]events.Event, error) {
	made, err := r.look(ctx, r.Dir, sha)
	switch {
	case err != nil:
		return nil, err
	case merge:
		return r.mergeFacts(ctx, i, made, "", i.Main, firstLine(made.message))
	case made.time.Before(since.Truncate(time.Second)):
		return nil, r.note(toldCommit, sha, i.Main)
	}
	_, letter := placeOf(made.author)
	return []events.Event{i.commitFact(made, i.Main, letter)}, r.note(toldCommit, sha, i.Main)
}

// merges returns the branches that are now part of main without a merge that a hook saw: main was moved onto
// them.
func (r merges) merges(ctx context.Context, i *Installation, waves []Worktree, t ledger) (facts []events.Event, err error) {
	for _, w := range waves {
		seen, _ := trees(r).recall(w)
		branch := cmp.Or(w.Branch, seen.Branch)
		head := r.headOf(ctx, heads+branch)
		if branch == "" || head == "" || t.merged[head] || t.commits[head] != branch || head == seen.Base ||
			trees(r).forkPoint(ctx, i, head) != head {
			continue
		}
		if !trees(r).firstParents(ctx, i, cmp.Or(seen.Base, i.Base))[head] {
			continue // part of a merge commit, which is published as a merge
		}
		facts = append(facts, i.mergeFact(head, branch, i.Main, i.Main+" was moved to "+branch))
		if err := r.noteMerged(ctx, cmp.Or(seen.Base, i.Base), head, branch); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// firstSeen returns when the first worktree was seen.
func (r merges) firstSeen(waves []Worktree) (first time.Time) {
	for _, w := range waves {
		if _, at := trees(r).recall(w); first.IsZero() || !at.IsZero() && at.Before(first) {
			first = at
		}
	}
	return first
}

func lines(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == '\n' })
}

// The file "told" holds a line for each commit and merge that a hook published, so
// that [Count] can find those that bypassed the hooks.

func (r *Repository) toldFile() string { return filepath.Join(r.folder(), "told") }

// note adds a commit, and the branch it was made on or merged from. Lines are short enough to be written
// atomically, so hooks may run at once.
func (r *Repository) note(what, sha, branch string) error {
	file, err := os.OpenFile(r.toldFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("remember what was published: %w", err)
	}
	_, err = file.WriteString(what + " " + sha + " " + branch + "\n")
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("remember what was published: %w", err)
	}
	return nil
}

// The kinds of lines.
const (
	toldCommit = "commit"
	toldMerge  = "merge" // sha is what was merged
)

// ledger is the record of what the hooks published.
type ledger struct {
	commits map[string]string // sha → branch
	merged  map[string]bool   // sha
}

func (r *Repository) told() ledger {
	t := ledger{commits: map[string]string{}, merged: map[string]bool{}}
	data, err := os.ReadFile(r.toldFile())
	if err != nil {
		return t // nothing yet
	}
	for entry := range strings.Lines(string(data)) {
		what, rest, _ := strings.Cut(strings.TrimSuffix(entry, "\n"), " ")
		sha, branch, _ := strings.Cut(rest, " ")
		switch what {
		case toldCommit:
			if _, is := t.commits[sha]; !is { // where it was made first
				t.commits[sha] = branch
			}
		case toldMerge:
			t.merged[sha] = true
		}
	}
	return t
}
