package githook

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

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
