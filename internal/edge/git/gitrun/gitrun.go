// Package gitrun runs Git with English messages, without optional locks, and without the variables by which
// a hook learns where it runs.
package gitrun

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// placing lists the variables by which a hook learns where it runs, or that change what a path means. They
// would mislead Git in another folder.
var placing = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// Placing returns the names of the variables that [Command] leaves out.
func Placing() []string { return slices.Clone(placing) }

// Command configures how Git is run.
type Command struct {
	Dir string
	// Options precede the subcommand: "-c", "core.fsmonitor=false".
	Options []string
	// Placed keeps the variables that Git set for a hook, since they may be all that connects a folder with
	// its repository.
	Placed bool
	// Variables are set in addition: "GIT_INDEX_FILE=/tmp/index".
	Variables []string
	// Delay is how long a child of Git may keep the output open after Git was stopped; 0 means a second.
	Delay time.Duration
}

// Run runs Git and returns its output. The error contains Git's message and, if the context ended, wraps
// the context's error.
func (c Command) Run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(c.Options), args...)...)
	cmd.Dir = c.Dir
	cmd.WaitDelay = cmp.Or(c.Delay, time.Second)
	// Replaced objects are not what was committed.
	cmd.Env = append(c.environment(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1")
	cmd.Env = append(cmd.Env, c.Variables...)
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		switch {
		case errors.Is(err, exec.ErrNotFound):
			return "", errors.New("git is not installed, or not in PATH")
		case ctx.Err() != nil:
			return "", fmt.Errorf("git %s: %w", args[0], ctx.Err())
		}
		return out.String(), fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}

func (c Command) environment() []string {
	all := os.Environ()
	if c.Placed {
		return all
	}
	return slices.DeleteFunc(all, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(placing, name)
	})
}
