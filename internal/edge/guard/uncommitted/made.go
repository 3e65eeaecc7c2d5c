package uncommitted

import (
	"container/list"
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// maxNames limits what is kept of a session's programs, branches, worktrees and stashes.
const maxNames = 256

// creations is what a session ran and created.
type creations struct {
	programs []string
	branches []string
	linked   []string         // worktrees
	things   []destruct.Thing // data and infrastructure
	stashes  map[string]bool  // by commit id
}

// stashing is a call that creates stashes: those that existed before it, and how many it creates.
type stashing struct {
	folder string
	before map[string]bool
	makes  int
	begun  time.Time
	// shared means that another session created some at the same time, so that their owners are unknown.
	shared bool
}

// stashPatience limits how long after a call its stashes are looked for.
const stashPatience = 10 * time.Minute

// Ran records the programs that a command of a session runs in a folder, and what it creates. It must be
// called before the command runs.
func (d *Desk) Ran(id, folder string, programs []string, made []destruct.Thing) {
	stashes := 0
	var branches, linked, files []string
	var things []destruct.Thing
	for _, t := range made {
		switch t.Kind {
		case destruct.Branches:
			branches = append(branches, t.Name)
		case destruct.Linked:
			name := filepath.ToSlash(t.Name)
			if !path.IsAbs(name) {
				name = path.Join(filepath.ToSlash(folder), name)
			}
			linked = append(linked, path.Clean(name))
		case destruct.Stash:
			stashes++
		case destruct.Data, destruct.Infrastructure:
			things = append(things, t)
		case destruct.Files:
			if isNew(folder, t.Name) {
				files = append(files, t.Name)
			}
		}
	}
	d.Wrote(id, folder, files)
	var before map[string]bool
	if stashes > 0 {
		before = stashed(folder, d.Patience)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	s.made.programs = text.Newest(append(s.made.programs, programs...), maxNames)
	s.made.branches = text.Newest(append(s.made.branches, branches...), maxNames)
	s.made.linked = text.Newest(append(s.made.linked, linked...), maxNames)
	s.made.things = text.Newest(append(s.made.things, things...), maxNames)
	if before != nil {
		s.stashing = &stashing{folder: folder, before: before, makes: stashes, begun: d.now()}
		overlapping(d.recent, s, d.now())
	}
}

// isNew reports whether a file or folder that a command is about to create does not exist yet.
func isNew(folder, name string) bool {
	if strings.ContainsAny(name, "*?[$~`") {
		return false
	}
	if !path.IsAbs(name) {
		name = path.Join(filepath.ToSlash(folder), name)
	}
	_, err := os.Lstat(name)
	return os.IsNotExist(err)
}

// overlapping marks concurrent calls of several sessions that create stashes.
func overlapping(sessions *list.List, s *session, now time.Time) {
	for e := sessions.Front(); e != nil; e = e.Next() {
		other := e.Value.(*session)
		if other != s && other.stashing != nil && now.Sub(other.stashing.begun) < stashPatience {
			s.stashing.shared, other.stashing.shared = true, true
		}
	}
}

// Settle finds the stashes that the last call of a session created. Each later call triggers it.
func (d *Desk) Settle(id string) {
	d.mu.Lock()
	e, known := d.sessions[id]
	if !known || e.Value.(*session).stashing == nil {
		d.mu.Unlock()
		return
	}
	pending := *e.Value.(*session).stashing
	d.mu.Unlock()
	after := stashed(pending.folder, d.Patience)
	var made []string
	for commit := range after {
		if !pending.before[commit] {
			made = append(made, commit)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	switch {
	case s.stashing == nil:
	case len(made) == 0 && d.now().Sub(pending.begun) < stashPatience:
		return // the command may still be running
	case len(made) > 0 && len(made) <= pending.makes && !s.stashing.shared:
		if s.made.stashes == nil || len(s.made.stashes) > maxNames {
			s.made.stashes = map[string]bool{}
		}
		for _, commit := range made {
			s.made.stashes[commit] = true
		}
	}
	s.stashing = nil
}

// stashed returns the commits of all stashes of a repository, nil if Git fails.
func stashed(folder string, patience time.Duration) map[string]bool {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := gitrun.Command{Dir: folder}.Run(ctx, "stash", "list", "--format=%H")
	if err != nil {
		return nil
	}
	list := map[string]bool{}
	for line := range strings.Lines(out) {
		list[strings.TrimSpace(line)] = true
	}
	return list
}

// created returns what a session created.
func (d *Desk) created(id string) creations {
	d.mu.Lock()
	defer d.mu.Unlock()
	made := d.at(id).made
	return creations{
		slices.Clone(made.programs), slices.Clone(made.branches), slices.Clone(made.linked), slices.Clone(made.things),
		maps.Clone(made.stashes),
	}
}

// ran reports whether the session ran a program that a pattern names.
func (c *creations) ran(pattern string) bool {
	name := strings.Trim(pattern, "^$\"' ")
	return slices.ContainsFunc(c.programs, func(p string) bool {
		return p != "" && (p == name || len(p) > 3 && strings.Contains(name, p))
	})
}

// has reports whether the session created a thing; without a name, any of its kind.
func (c *creations) has(t destruct.Thing) bool {
	return slices.ContainsFunc(c.things, func(own destruct.Thing) bool {
		return own.Kind == t.Kind && (t.Name == "" || own.Name == t.Name)
	})
}
