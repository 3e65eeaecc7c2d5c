package githook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// placing lists the variables that tell a hook where it runs or that change what a
// path means. They would mislead Git in another folder.
var placing = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// git runs Git in a folder and returns its output. The error contains Git's message.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	return run(ctx, dir, true, args...)
}

// git runs Git in a folder of the repository. In the worktree that a hook is
// called in it keeps the variables that Git set, since they may be all that
// connects a folder with its repository.
func (r *Repository) git(ctx context.Context, dir string, args ...string) (string, error) {
	return run(ctx, dir, !r.here || dir != r.Dir, args...)
}

func run(ctx context.Context, dir string, clean bool, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	// Objects that somebody replaced are not what was committed.
	cmd.Env = append(environment(clean), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1")
	var out, problem bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return "", errors.New("git is not installed, or not in PATH")
		}
		return out.String(), fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(problem.String()))
	}
	return out.String(), nil
}

func environment(clean bool) []string {
	all := os.Environ()
	if !clean {
		return all
	}
	return slices.DeleteFunc(all, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(placing, name)
	})
}

// line is the output of a command that prints one.
func line(text string, err error) (string, error) { return strings.TrimRight(text, "\r\n"), err }

// list splits what Git prints with -z.
func list(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\x00"), func(s string) bool { return s == "" })
}
