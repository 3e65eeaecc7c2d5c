package githook

import (
	"context"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// git runs Git in a folder and returns its output. The error contains Git's message.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	return gitrun.Command{Dir: dir}.Run(ctx, args...)
}

// git runs Git in a folder of the repository. In the worktree that a hook is
// called in it keeps the variables that Git set, since they may be all that
// connects a folder with its repository.
func (r *Repository) git(ctx context.Context, dir string, args ...string) (string, error) {
	return gitrun.Command{Dir: dir, Placed: r.here && dir == r.Dir}.Run(ctx, args...)
}

// line is the output of a command that prints one.
func line(text string, err error) (string, error) { return strings.TrimRight(text, "\r\n"), err }

// list splits what Git prints with -z.
func list(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\x00"), func(s string) bool { return s == "" })
}
