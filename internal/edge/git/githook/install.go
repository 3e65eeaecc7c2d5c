package githook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Install writes the hooks of a run. An existing hook is kept aside and still runs; [Remove] restores it.
// Installing again for the same run repairs changes by others; for another run it fails.
func Install(ctx context.Context, r *Repository, i Installation) ([]events.Event, error) {
	if !events.ValidID(i.Run) {
		return nil, fmt.Errorf("%q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", i.Run)
	}
	last, err := r.Installation()
	switch {
	case errors.Is(err, ErrNotInstalled), errors.Is(err, errSettingsGone):
		last = nil
	case err != nil:
		return nil, err
	case last.Run != i.Run:
		return nil, fmt.Errorf("the hooks of run %s are installed here; remove them first: scaffoldwatch git-hook remove", last.Run)
	}
	main, err := hooks{r}.complete(ctx, &i, last)
	if err != nil {
		return nil, err
	}
	// The settings are written first: a hook that finds none guards nothing.
	if err := r.save(&i); err != nil {
		return nil, err
	}
	if err := (hooks{r}).put(ctx, &i, last, main); err != nil {
		return nil, hooks{r}.giveUp(last, err)
	}
	if err := r.save(&i); err != nil {
		return nil, err
	}
	facts, err := trees{r}.compare(ctx, &i)
	if last != nil {
		return facts, err
	}
	backup := len(i.Kept) > 0 || i.Path != nil
	return append([]events.Event{fact(i.Run, "", &runevents.HookInstalled{Actor: actor, Backup: backup})}, facts...), err
}

// hooks installs the hooks of a repository, and restores what was there before.
type hooks struct{ *Repository }

// put puts the hooks where Git looks for them.
func (r hooks) put(ctx context.Context, i, last *Installation, main string) error {
	now := r.hooksPath(ctx)
	if last != nil {
		i.Ours, i.Kept, i.Path = last.Ours, last.Kept, last.Path
	}
	switch {
	case now == nil:
		i.Path = nil
		return r.writeHooks(i, last)
	case filepath.Clean(now.Value) != r.ourHooks():
		i.Path = now
	case i.Path == nil:
		i.Path = &hooksPath{Value: r.inPlace()} // what it was is lost
	}
	return r.redirect(ctx, i, main)
}

// giveUp removes an incomplete installation, which would seem to guard without having hooks.
func (r hooks) giveUp(last *Installation, err error) error {
	if last != nil {
		return errors.Join(err, r.save(last))
	}
	return errors.Join(err, os.Remove(r.settings()))
}

// complete fills in what the repository itself says.
func (r hooks) complete(ctx context.Context, i, last *Installation) (main string, err error) {
	main, linked, err := r.Worktrees(ctx)
	if err != nil {
		return main, err
	}
	if i.Main == "" && last != nil {
		i.Main = last.Main
	}
	if i.Main == "" {
		if i.Main = r.Branch(ctx, main); i.Main == "" {
			return main, errors.New("no branch is checked out in the main worktree; name the one that agents keep off with --main")
		}
	}
	if i.Base, err = line(r.git(ctx, r.Dir, "rev-parse", "--verify", "--quiet", heads+i.Main)); err != nil {
		return main, fmt.Errorf("no branch %s with a commit in this repository: name the branch to protect with --main", i.Main)
	}
	if last != nil {
		i.Base, i.Apart = last.Base, last.Apart
		return main, nil
	}
	for _, w := range linked {
		if w.Letter == "" {
			i.Apart = append(i.Apart, w.Path)
		}
	}
	return main, nil
}

// Trouble says, in one sentence each, what somebody did to an installation's hooks that keeps them from
// guarding.
func (r *Repository) Trouble(ctx context.Context, i *Installation) (out []string) {
	again := "; run `scaffoldwatch git-hook install --run " + i.Run + "` again"
	if i.Path != nil || (hooks{r}).hooksPath(ctx) != nil {
		if !(hooks{r}).redirected(ctx) {
			out = append(out, hooksPathKey+" was changed: main is not guarded"+again)
		}
		return out
	}
	for _, name := range Names {
		path := filepath.Join(hooks{r}.inPlace(), name)
		ours := false
		for _, at := range []string{path, path + legacySuffix} {
			there, err := os.ReadFile(at)
			ours = ours || err == nil && string(there) == i.Ours[name]
		}
		if !ours {
			out = append(out, "the hook "+name+" was changed by somebody else"+again)
		}
	}
	return out
}

// Remove restores what was there before [Install]. What somebody has changed since stays; notes say so, in
// one sentence each.
func Remove(ctx context.Context, r *Repository) (facts []events.Event, notes []string, err error) {
	i, err := r.Installation()
	if err != nil {
		return nil, nil, err
	}
	facts, problem := trees{r}.compare(ctx, i)
	if i.Path != nil {
		why, err := hooks{r}.direct(ctx, i)
		if err != nil {
			return facts, notes, err
		}
		notes = appendIf(notes, why)
	}
	for _, name := range Names {
		if i.Ours[name] == "" {
			continue
		}
		why, err := hooks{r}.putBack(i, name)
		if err != nil {
			return facts, notes, err
		}
		notes = appendIf(notes, why)
	}
	if err := (hooks{r}).forget(); err != nil {
		return facts, notes, err
	}
	backup := len(i.Kept) > 0 || i.Path != nil
	removed := fact(i.Run, "", &runevents.HookRemoved{Actor: actor, Backup: backup, Restored: backup && len(notes) == 0})
	return append(facts, removed), notes, problem
}

func appendIf(all []string, one string) []string {
	if one == "" {
		return all
	}
	return append(all, one)
}

// forget removes the stored state except facts that still wait. The settings go last, so that an interrupted
// call can be repeated.
func (r hooks) forget() error {
	for _, path := range []string{r.before(), r.toldFile(), trees(r).knownFolder(), r.settings()} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("forget the installation: %w", err)
		}
	}
	return nil
}
