package githook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Names are the hooks that are installed, each for one kind of fact.
var Names = []string{"pre-commit", "post-commit", "post-merge", "post-checkout"}

// backupSuffix marks a hook that was there before.
const backupSuffix = ".before-scaffoldwatch"

// Install writes the hooks of a run. A hook that is there is kept aside and still
// runs; [Remove] puts it back. Installing again for the same run changes nothing
// but the settings; for another run it is refused.
func Install(ctx context.Context, r *Repository, i Installation) ([]events.Event, error) {
	if !events.ValidID(i.Run) {
		return nil, fmt.Errorf("%q is no run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", i.Run)
	}
	before, err := r.Installation()
	switch {
	case errors.Is(err, ErrNotInstalled):
	case err != nil:
		return nil, err
	case before.Run != i.Run:
		return nil, fmt.Errorf("the hooks of run %s are installed here; remove them first: scaffoldwatch git-hook remove", before.Run)
	}
	if err := r.complete(ctx, &i, before); err != nil {
		return nil, err
	}
	backup, err := r.writeHooks(&i, before)
	if err != nil {
		return nil, err
	}
	if err := r.save(&i); err != nil {
		return nil, err
	}
	facts, err := r.compare(ctx, &i)
	if before != nil {
		return facts, err
	}
	return append([]events.Event{fact(i.Run, "", &events.HookInstalled{Actor: actor, Backup: backup})}, facts...), err
}

// complete fills in what the repository says itself.
func (r *Repository) complete(ctx context.Context, i, before *Installation) error {
	main, linked, err := r.Worktrees(ctx)
	if err != nil {
		return err
	}
	if i.Main == "" {
		if i.Main = r.Branch(ctx, main); i.Main == "" {
			return errors.New("no branch is checked out in the main worktree; name the one that agents keep off with --main")
		}
	}
	if i.Base, err = line(git(ctx, r.Dir, "rev-parse", "--verify", "--quiet", "refs/heads/"+i.Main)); err != nil {
		return fmt.Errorf("there is no branch %s with a commit here; name the one that agents keep off with --main", i.Main)
	}
	if before != nil {
		i.Base, i.Apart = before.Base, before.Apart
		return nil
	}
	for _, w := range linked {
		if w.Letter == "" {
			i.Apart = append(i.Apart, w.Path)
		}
	}
	return nil
}

// writeHooks writes all hooks; backup says that one was there before.
func (r *Repository) writeHooks(i, before *Installation) (backup bool, err error) {
	i.Ours = map[string]string{}
	for _, name := range Names {
		path := filepath.Join(r.Hooks, name)
		there, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return false, fmt.Errorf("look at the hook %s: %w", name, err)
		case before == nil || before.Ours[name] != string(there):
			if err := keepAside(path); err != nil {
				return false, err
			}
		}
		if _, err := os.Lstat(path + backupSuffix); err == nil {
			backup = true
		}
		i.Ours[name] = script(i.Binary, name)
		if err := write(path, []byte(i.Ours[name]), 0o755); err != nil {
			return false, err
		}
	}
	return backup, nil
}

// keepAside renames a hook that is not ours. A backup that is already there is
// not lost for it.
func keepAside(path string) error {
	if _, err := os.Lstat(path + backupSuffix); err == nil {
		return fmt.Errorf("%s changed since it was replaced and %s exists; put one of the two away first", path, filepath.Base(path)+backupSuffix)
	}
	if err := os.Rename(path, path+backupSuffix); err != nil {
		return fmt.Errorf("keep the hook aside: %w", err)
	}
	return nil
}

// script is a hook. It says what to do when the program is gone; then only the
// guard of main refuses, since nothing else could hold the line.
func script(binary, name string) string {
	gone := "exit 0"
	if name == "pre-commit" {
		gone = "exit 1"
	}
	return strings.Join([]string{
		"#!/bin/sh",
		"# Written by scaffoldwatch for the time of a run; `scaffoldwatch git-hook remove` puts back what was here.",
		"program=" + quoted(binary),
		`if [ ! -x "$program" ]; then`,
		`  echo "scaffoldwatch: $program is gone; install scaffoldwatch again, or delete this hook: $0" >&2`,
		"  " + gone,
		"fi",
		`exec "$program" git-hook run ` + name + ` -- "$@"`,
		"",
	}, "\n")
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Remove puts back what was there before [Install]. A hook that somebody changed
// meanwhile stays, and is named in left.
func Remove(ctx context.Context, r *Repository) (facts []events.Event, left []string, err error) {
	i, err := r.Installation()
	if err != nil {
		return nil, nil, err
	}
	facts, problem := r.compare(ctx, i)
	backup, restored := false, true
	for _, name := range Names {
		kept, mine, err := r.putBack(i, name)
		if err != nil {
			return facts, left, err
		}
		backup = backup || kept
		if !mine {
			left, restored = append(left, name), false
		}
	}
	if err := r.forget(); err != nil {
		return facts, left, err
	}
	slices.Sort(left)
	return append(facts, fact(i.Run, "", &events.HookRemoved{Actor: actor, Backup: backup, Restored: backup && restored})), left, problem
}

// putBack restores one hook; kept says that there was one before, mine that the
// one in place is ours, or none.
func (r *Repository) putBack(i *Installation, name string) (kept, mine bool, err error) {
	path := filepath.Join(r.Hooks, name)
	_, err = os.Lstat(path + backupSuffix)
	kept = err == nil
	there, err := os.ReadFile(path)
	if err == nil && string(there) != i.Ours[name] {
		return kept, false, nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return kept, false, fmt.Errorf("remove the hook %s: %w", name, err)
	}
	if !kept {
		return false, true, nil
	}
	if err := os.Rename(path+backupSuffix, path); err != nil {
		return true, false, fmt.Errorf("put the hook %s back: %w", name, err)
	}
	return true, true, nil
}

// forget removes what was remembered, but for facts that still wait.
func (r *Repository) forget() error {
	if err := os.Remove(r.settings()); err != nil {
		return fmt.Errorf("forget the installation: %w", err)
	}
	if err := os.RemoveAll(r.knownFolder()); err != nil {
		return fmt.Errorf("forget the worktrees: %w", err)
	}
	return nil
}
