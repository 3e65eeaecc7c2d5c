package githook

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// squashed is what Git prints when it merges files without a commit.
const squashed = "Squash commit -- not updating HEAD"

// merges finds what was merged, and merges that no hook reported.
type merges struct{ *Repository }

// merged returns the facts of a merge without conflicts.
func (r merges) merged(ctx context.Context, i *Installation, c Call) ([]events.Event, error) {
	made, err := r.look(ctx, c.Dir, "HEAD")
	if err != nil {
		return nil, err
	}
	into := r.Branch(ctx, c.Dir)
	names, output := r.said(ctx, c)
	if len(c.Args) > 0 && c.Args[0] == "1" {
		return r.squash(ctx, i, made, into, names)
	}
	was := r.headOf(ctx, "ORIG_HEAD")
	if len(made.parents) > 1 {
		return r.mergeFacts(ctx, i, made, was, into, cmp.Or(output, firstLine(made.message)))
	}
	head := made.sha // main was moved to it
	branch := ""
	if len(names) == 1 && r.headOf(ctx, heads+short(names[0])) == head {
		branch = short(names[0])
	}
	branch = cmp.Or(branch, r.nameOf(ctx, head, into))
	facts := []events.Event{i.mergeFact(made.sha, branch, into, cmp.Or(output, "Fast-forward"))}
	if into != i.Main {
		return facts, nil
	}
	return facts, r.noteMerged(ctx, cmp.Or(was, i.Base), head, branch)
}

// noteMerged remembers that a published merge moved main over commits.
func (r merges) noteMerged(ctx context.Context, from, head, branch string) error {
	text, err := r.git(ctx, r.Dir, "rev-list", fmt.Sprint("--max-count=", maxMissed), from+".."+head, "--")
	if err != nil {
		return fmt.Errorf("look at what %s brought: %w", branch, err)
	}
	for _, sha := range append(lines(text), head) {
		if err := r.note(toldMerge, sha, branch); err != nil {
			return err
		}
	}
	return nil
}

// said returns the arguments of `git merge` and its outcome from the reflog, such as "merge wave1-agent-A:
// Fast-forward". Some repositories keep no reflog.
func (r merges) said(ctx context.Context, c Call) (names []string, output string) {
	action := c.Getenv("GIT_REFLOG_ACTION")
	noted, err := line(r.git(ctx, c.Dir, "reflog", "-1", "--format=%gs", "HEAD"))
	what, came, is := strings.Cut(noted, ": ")
	if err == nil && is && (strings.HasPrefix(what, "merge ") || strings.HasPrefix(what, "pull")) && (action == "" || action == what) {
		action, output = what, came
	}
	if rest, is := strings.CutPrefix(action, "merge "); is {
		names = strings.Fields(rest)
	}
	return names, output
}

// squash returns the fact of files merged without a commit. The next commit on main is
// an ordinary one, so this is the merge that the gate judges (WP-3).
func (r merges) squash(ctx context.Context, i *Installation, made commit, into string, names []string) ([]events.Event, error) {
	var facts []events.Event
	for _, name := range names {
		head := r.headOf(ctx, name)
		if head == "" {
			continue // an option, or nothing that has a commit
		}
		branch := r.nameOf(ctx, head, into)
		if r.headOf(ctx, heads+short(name)) == head {
			branch = short(name)
		}
		if into != i.Main {
			continue
		}
		facts = append(facts, i.mergeFact("squash "+head+" "+made.sha, branch, into, squashed))
		if err := r.note(toldMerge, head, branch); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

// mergeFacts returns one fact for each branch that a merge commit took in. With several, Git may first
// fast-forward to one of them, which then takes the place of the former head.
func (r merges) mergeFacts(ctx context.Context, i *Installation, made commit, was, into, output string) ([]events.Event, error) {
	parents := made.parents[1:]
	if was != "" && was != made.parents[0] && len(made.parents) > 1 &&
		trees(r).forkOf(ctx, was, made.parents[0]) == was {
		parents = made.parents
	}
	facts := make([]events.Event, 0, len(parents))
	for _, parent := range parents {
		id := made.sha
		if parent != made.parents[1] {
			id += " " + parent
		}
		branch := r.nameOf(ctx, parent, into)
		facts = append(facts, i.mergeFact(id, branch, into, output))
		if into != i.Main {
			continue // main brought into a branch is still main's
		}
		if err := r.note(toldMerge, parent, branch); err != nil {
			return facts, err
		}
	}
	return facts, r.note(toldCommit, made.sha, into)
}

func (i *Installation) mergeFact(id, branch, into, output string) events.Event {
	return fact(i.Run, "merge "+id+" "+into, &runevents.GitMerge{Actor: actor, Branch: branch, Into: into, Output: output})
}

// headOf returns the commit of a revision, "" if there is none.
func (r merges) headOf(ctx context.Context, revision string) string {
	if strings.HasPrefix(revision, "-") {
		return ""
	}
	sha, err := line(r.git(ctx, r.Dir, "rev-parse", "--verify", "--quiet", revision+"^{commit}"))
	if err != nil {
		return ""
	}
	return sha
}

// nameOf returns the branch at a commit, preferring a wave's, else the commit itself; never the branch that
// it was merged into.
func (r merges) nameOf(ctx context.Context, sha, into string) string {
	text, err := r.git(ctx, r.Dir, "for-each-ref", "--points-at", sha, "--format=%(refname)", heads)
	if err != nil {
		return sha
	}
	name := ""
	for ref := range strings.Lines(text) {
		branch := short(strings.TrimSpace(ref))
		if _, letter := placeOf(branch); letter != "" && branch != into {
			return branch
		}
		if name == "" && branch != into {
			name = branch
		}
	}
	return cmp.Or(name, sha)
}

// Call is one call of a hook by Git.
type Call struct {
	Name string // of the hook
	Args []string
	Dir  string // the worktree it is called in
	Err  io.Writer
	// Getenv reads the committer's environment.
	Getenv func(string) string
}

// Hook runs a hook and returns the facts to publish. Blocked means that Git must not continue; only
// pre-commit and pre-applypatch return it. An error means that something could not be determined; Git
// continues.
func Hook(ctx context.Context, r *Repository, i *Installation, c Call) (facts []events.Event, blocked bool, err error) {
	facts, err = trees{r}.compare(ctx, i)
	var more []events.Event
	var problem error
	switch c.Name {
	case "pre-commit", "pre-applypatch":
		more, blocked, problem = r.guard(ctx, i, c)
	case "post-commit", "post-applypatch":
		more, problem = r.committed(ctx, i, c)
	case "post-merge":
		more, problem = merges{r}.merged(ctx, i, c)
	case "post-rewrite":
		more, problem = r.rewritten(ctx, i, c)
	case "post-checkout": // worktrees, which were compared
	default:
		problem = fmt.Errorf("no hook is called %q; there are %s", c.Name, strings.Join(Names, ", "))
	}
	if err == nil {
		err = problem
	}
	return append(facts, more...), blocked, err
}
