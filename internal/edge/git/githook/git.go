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

// git runs Git in a folder of the repository. In the worktree in which a hook is called it keeps the
// variables that Git set: they may be the only link between the folder and its repository.
func (r *Repository) git(ctx context.Context, dir string, args ...string) (string, error) {
	return gitrun.Command{Dir: dir, Placed: r.here && dir == r.Dir}.Run(ctx, args...)
}

// line returns the output of a command that prints one line.
func line(text string, err error) (string, error) { return strings.TrimRight(text, "\r\n"), err }

// list splits what Git prints with -z.
func list(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\x00"), func(s string) bool { return s == "" })
}
