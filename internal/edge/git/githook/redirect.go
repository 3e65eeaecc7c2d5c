package githook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// If core.hooksPath is set, the folder that it names may be tracked, shared with other repositories, or
// different in each worktree, so nothing is written there: during the run it names a folder of ours, whose
// hooks then call the original ones.

const hooksPathKey = "core.hooksPath"

// hooksPath is core.hooksPath as it was.
type hooksPath struct {
	// Value is the setting in force: a folder, relative to each worktree or absolute.
	Value string `json:"value"`
	// Local is the repository's own setting, "" if it has none.
	Local string `json:"local,omitempty"`
}

func (r hooks) ourHooks() string { return filepath.Join(r.folder(), "hooks") }

// hooksPath is the former setting, nil if there was none.
func (r hooks) hooksPath(ctx context.Context) *hooksPath {
	value, err := line(git(ctx, r.Dir, "config", "--type=path", "--get", hooksPathKey))
	if err != nil {
		return nil
	}
	local, err := line(git(ctx, r.Dir, "config", "--local", "--get", hooksPathKey))
	if err != nil {
		local = ""
	}
	return &hooksPath{Value: value, Local: local}
}

// redirect writes our hooks into a folder of their own and has Git look there.
func (r hooks) redirect(ctx context.Context, i *Installation, main string) error {
	if err := os.RemoveAll(r.ourHooks()); err != nil {
		return fmt.Errorf("clear %s: %w", r.ourHooks(), err)
	}
	for _, name := range append(slices.Clone(Names), passed...) {
		theirs := quoted(cmp.Or(i.Path.Value, ".") + "/" + name)
		text := "#!/bin/sh\n" + written + "\n" + passOn(theirs)
		if slices.Contains(Names, name) {
			text = script(i, name, theirs)
		} else if !harmless(name) && !exists(filepath.Join(absolute(main, i.Path.Value), name)) {
			continue
		}
		if err := write(filepath.Join(r.ourHooks(), name), []byte(text), 0o755); err != nil {
			return err
		}
	}
	if _, err := git(ctx, r.Dir, "config", "--local", hooksPathKey, r.ourHooks()); err != nil {
		return fmt.Errorf("have Git look for hooks in %s: %w", r.ourHooks(), err)
	}
	if r.redirected(ctx) {
		return nil
	}
	err := fmt.Errorf("%s is set for this worktree alone (git config --worktree) or by the environment, so that hooks cannot be installed; unset it there first", hooksPathKey)
	_, undone := r.direct(ctx, i)
	return errors.Join(err, undone)
}

// redirected reports whether Git looks for hooks in our folder.
func (r hooks) redirected(ctx context.Context) bool {
	now := r.hooksPath(ctx)
	return now != nil && filepath.Clean(now.Value) == r.ourHooks()
}

// direct restores core.hooksPath; why says that somebody had changed it.
func (r hooks) direct(ctx context.Context, i *Installation) (why string, err error) {
	now, err := line(git(ctx, r.Dir, "config", "--local", "--get", hooksPathKey))
	switch {
	case err != nil || filepath.Clean(now) != r.ourHooks():
		why = hooksPathKey + " was changed by somebody else and stays"
	case i.Path.Local == "":
		_, err = git(ctx, r.Dir, "config", "--local", "--unset-all", hooksPathKey)
	default:
		_, err = git(ctx, r.Dir, "config", "--local", hooksPathKey, i.Path.Local)
	}
	if why == "" && err != nil {
		return "", fmt.Errorf("put %s back: %w", hooksPathKey, err)
	}
	if err := os.RemoveAll(r.ourHooks()); err != nil {
		return why, fmt.Errorf("remove %s: %w", r.ourHooks(), err)
	}
	return why, nil
}
