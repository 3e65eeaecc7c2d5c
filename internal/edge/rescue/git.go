package rescue

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

// placing are the variables that would mislead Git in another folder.
var placing = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_NAMESPACE",
	"GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
}

// Git runs Git in a folder with more variables and returns its output. It takes no
// locks of its own accord. The error has Git's message.
func Git(ctx context.Context, dir string, variables []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(environment(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	cmd.Env = append(cmd.Env, variables...)
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

func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(placing, name)
	})
}

// line is the output of a command that prints one.
func line(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := Git(ctx, dir, nil, args...)
	return strings.TrimSpace(out), err
}
