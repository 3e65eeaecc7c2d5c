package rescue

import (
	"context"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
)

// runGit runs Git in a folder with additional variables and returns its output.
func runGit(ctx context.Context, dir string, variables []string, args ...string) (string, error) {
	return gitrun.Command{Dir: dir, Variables: variables}.Run(ctx, args...)
}

// line returns the output of a command that prints one line.
func line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := runGit(ctx, dir, nil, args...)
	return strings.TrimSpace(out), err
}
