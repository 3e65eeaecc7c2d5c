package uncommitted

import (
	"context"
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
		before = d.stashed(folder)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	s.programs = text.Newest(append(s.programs, programs...), maxNames)
	s.branches = text.Newest(append(s.branches, branches...), maxNames)
	s.linked = text.Newest(append(s.linked, linked...), maxNames)
	s.things = text.Newest(append(s.things, things...), maxNames)
	if before != nil {
		s.stashing = &stashing{folder: folder, before: before, makes: stashes, begun: d.now()}
		d.overlapping(s)
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

// overlapping marks concurrent calls of several sessions that create stashes. The caller holds the lock.
func (d *Desk) overlapping(s *session) {
	for e := d.recent.Front(); e != nil; e = e.Next() {
		other := e.Value.(*session)
		if other != s && other.stashing != nil && d.now().Sub(other.stashing.begun) < stashPatience {
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
	after := d.stashed(pending.folder)
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
		if s.stashes == nil || len(s.stashes) > maxNames {
			s.stashes = map[string]bool{}
		}
		for _, commit := range made {
			s.stashes[commit] = true
		}
	}
	s.stashing = nil
}

// stashed returns the commits of all stashes of a repository, nil if Git fails.
func (d *Desk) stashed(folder string) map[string]bool {
	ctx, cancel := context.WithTimeout(context.Background(), d.Patience)
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

func (d *Desk) ran(id, name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	name = strings.Trim(name, "^$\"' ")
	return slices.ContainsFunc(d.at(id).programs, func(p string) bool { return p != "" && (p == name || len(p) > 3 && strings.Contains(name, p)) })
}

func (d *Desk) made(id, branch string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.at(id).branches, branch)
}

// madeLinked returns the worktrees that a session created.
func (d *Desk) madeLinked(id string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.at(id).linked)
}

// madeStash reports whether a session created the stash of a commit.
func (d *Desk) madeStash(id, commit string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.at(id).stashes[commit]
}

// has reports whether a session created a thing; without a name, any of its kind.
func (d *Desk) has(id string, t destruct.Thing) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.at(id).things, func(own destruct.Thing) bool { return own.Kind == t.Kind && (t.Name == "" || own.Name == t.Name) })
}
