package githook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// ErrHooked reports that hooks in the repository already publish its facts.
var ErrHooked = errors.New("the hooks of this repository report its facts")

// Watcher polls a repository without hooks for the facts of a run (IN-10). Unlike hooks it sees a commit only
// when it looks, and prevents none.
type Watcher struct {
	repo *Repository
	i    Installation
	last []byte // what was counted at the last look
}

// Watch opens the repository of a folder. Facts count from now on. It fails with [ErrHooked] if hooks are
// installed.
func Watch(ctx context.Context, dir, run string) (*Watcher, error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if hooked, err := r.Installation(); err == nil {
		return nil, fmt.Errorf("%w, for run %s", ErrHooked, hooked.Run)
	} else if !errors.Is(err, ErrNotInstalled) {
		return nil, err
	}
	r.room = "watched-" + run // what hooks know stays theirs
	w := &Watcher{repo: r, i: Installation{Run: run}}
	_, err = hooks{r}.complete(ctx, &w.i, nil)
	return w, err
}

// Spool is the folder where facts wait while the broker is out of reach.
func (w *Watcher) Spool() string { return w.repo.Spool() }

// Look returns what happened since the last look: worktrees, commits and merges on main, and the commits of
// each branch that changed.
func (w *Watcher) Look(ctx context.Context) ([]events.Event, error) {
	facts, err := Count(ctx, w.repo, &w.i, "")
	out := facts[:0]
	for _, f := range facts {
		if counted, is := f.Data.(*runevents.GitCounted); is && !w.changed(counted) {
			continue
		}
		out = append(out, f)
	}
	return out, err
}

// changed reports whether a count differs from the previous one. A first count differs if there is a branch.
func (w *Watcher) changed(counted *runevents.GitCounted) bool {
	now, err := json.Marshal(counted)
	if err != nil || bytes.Equal(now, w.last) || w.last == nil && len(counted.Branches) == 0 {
		return false
	}
	w.last = now
	return true
}

// Slugs returns the plans after which branches of the repository are named, saw/<slug>/….
func Slugs(ctx context.Context, dir string) (slugs []string, err error) {
	r, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	_, linked, err := r.Worktrees(ctx)
	for _, w := range linked {
		if rest, is := strings.CutPrefix(w.Branch, "saw/"); is {
			slug, _, _ := strings.Cut(rest, "/")
			slugs = append(slugs, slug)
		}
	}
	return slugs, err
}
