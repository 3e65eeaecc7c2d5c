package uncommitted

import (
	"cmp"
	"container/list"
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
)

// Bounds of what is remembered.
const (
	maxSessions = 256
	maxWritten  = 2048
	maxSaid     = 3
	maxSaying   = 4 << 10
	maxBefore   = 4096
	live        = 2 * time.Hour // since a session's last call
	baseline    = 2 * time.Second
)

// Desk is safe for concurrent use.
type Desk struct {
	// Patience bounds how long Git may take for one call.
	Patience time.Duration
	// Once says that the desk serves one call: what Git showed of a folder is not asked again.
	Once bool

	mu       sync.Mutex
	sessions map[string]*list.Element // of *session
	recent   *list.List
	// Worktrees by a folder in them.
	worktrees map[string]worktree
	shown     map[string][]guard.WorkFile // by worktree, with Once
	now       func() time.Time
	pending   sync.WaitGroup
}

// session is what is known of one session and its subagents.
type session struct {
	id        string
	workspace string
	last      time.Time
	ended     bool
	written   map[string]time.Time // absolute paths and when it wrote them last
	said      []string
	reported  string           // what the agent said last, since the person's last message
	offer     string           // what it had said before that message
	before    map[string]bool  // changed before it began; nil: not seen
	looking   chan struct{}    // closed when that was looked for; nil: it is not
	kept      map[string]bool  // in a snapshot that was reported to it
	programs  []string         // that it ran
	branches  []string         // that it made
	linked    []string         // worktrees that it made
	things    []destruct.Thing // data and infrastructure that it made
	stashes   map[string]bool  // that it made, by the id of their commits
	stashing  *stashing        // a call that makes some, until the next one
}

// New returns an empty desk.
func New() *Desk {
	return &Desk{Patience: Patience, shown: map[string][]guard.WorkFile{}, sessions: map[string]*list.Element{}, recent: list.New(), worktrees: map[string]worktree{}, now: time.Now}
}

// at is a session, made if it is new; the one that was quiet longest leaves. The caller
// holds the lock.
func (d *Desk) at(id string) *session {
	if e, ok := d.sessions[id]; ok {
		d.recent.MoveToFront(e)
		return e.Value.(*session)
	}
	if d.recent.Len() >= maxSessions {
		oldest := d.recent.Back()
		delete(d.sessions, d.recent.Remove(oldest).(*session).id)
	}
	s := &session{id: id, written: map[string]time.Time{}}
	d.sessions[id] = d.recent.PushFront(s)
	return s
}

// Seen notes that a session is at work in a workspace. The first time of a session that
// only begins, it looks at what is changed there, beside the call that waits for an
// answer; what a session changed that began earlier would look like somebody else's.
func (d *Desk) Seen(id, workspace string, begins bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	s.last, s.ended = d.now(), false
	if workspace == "" || s.workspace != "" {
		return
	}
	s.workspace = path.Clean(filepath.ToSlash(workspace))
	s.resolve()
	if begins {
		looking := make(chan struct{})
		s.looking = looking
		d.pending.Go(func() {
			defer close(looking)
			d.look(s)
		})
	}
}

// look notes what is changed before a session writes anything.
func (d *Desk) look(s *session) {
	ctx, cancel := context.WithTimeout(context.Background(), baseline)
	defer cancel()
	files, _, err := d.status(ctx, s.workspace)
	if err != nil || len(files) > maxBefore {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.before = map[string]bool{}
	for _, f := range files {
		if _, own := s.written[f.Path]; !own {
			s.before[f.Path] = true
		}
	}
}

// looked waits until what was changed before a session began is known, where it is being looked for:
// a first call that comes at once would take a person's work for that of an unknown author. It leaves
// half of the time for the call's own questions.
func (d *Desk) looked(ctx context.Context, id string) {
	d.mu.Lock()
	var looking chan struct{}
	if e, ok := d.sessions[id]; ok {
		looking = e.Value.(*session).looking
	}
	d.mu.Unlock()
	if looking == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, d.Patience/2)
	defer cancel()
	select {
	case <-looking:
	case <-ctx.Done():
	}
}

// Ended notes that a session is over.
func (d *Desk) Ended(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.sessions[id]; ok {
		e.Value.(*session).ended = true
	}
}

// Said notes a person's message.
func (d *Desk) Said(id, text string) {
	if text == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	s.said = append(s.said, text[:min(len(text), maxSaying)])
	s.said = s.said[max(0, len(s.said)-maxSaid):]
	s.offer, s.reported = s.reported, ""
}

// Reported notes what an agent says at the end of a response, which may propose something.
func (d *Desk) Reported(id, text string) {
	if text == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at(id).reported = text[max(0, len(text)-maxSaying):]
}

// Offer is what the agent of a session had said before the person's last message (JD-30).
func (d *Desk) Offer(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.sessions[id]; ok {
		return e.Value.(*session).offer
	}
	return ""
}

// Messages are a person's last messages to a session, oldest first.
func (d *Desk) Messages(id string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.sessions[id]; ok {
		return slices.Clone(e.Value.(*session).said)
	}
	return nil
}

// Wrote notes files that a session writes, as it names them.
func (d *Desk) Wrote(id, directory string, files []string) {
	if len(files) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	for _, f := range files {
		if len(s.written) >= maxWritten {
			return
		}
		f = filepath.ToSlash(f)
		if !path.IsAbs(f) && directory != "" {
			f = path.Join(directory, f)
		}
		s.written[path.Clean(f)] = d.now()
	}
	s.resolve()
}

// Written are the files that a session wrote, absolute where its workspace is known, the latest last.
func (d *Desk) Written(id string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := d.sessions[id]
	if !ok {
		return nil
	}
	written := e.Value.(*session).written
	return slices.SortedFunc(maps.Keys(written), func(a, b string) int {
		return cmp.Or(written[a].Compare(written[b]), strings.Compare(a, b))
	})
}

// touched reports whether a session wrote or made a thing, or something in it.
func (d *Desk) touched(id, name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for f := range d.at(id).written {
		if within(f, name) || within(real(f), name) {
			return true
		}
	}
	return false
}

// wrote reports whether a session wrote a file, given with its symbolic links resolved.
func (d *Desk) wrote(id, name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	if _, is := s.written[name]; is {
		return true
	}
	base := "/" + path.Base(name)
	for f := range s.written {
		if strings.HasSuffix(f, base) && real(f) == name {
			return true
		}
	}
	return false
}

// resolve puts relative paths under the workspace, once it is known.
func (s *session) resolve() {
	if s.workspace == "" {
		return
	}
	for f, at := range s.written {
		if !path.IsAbs(f) {
			delete(s.written, f)
			s.written[path.Join(s.workspace, f)] = at
		}
	}
}

// Edited notes files that a session was seen to edit, however it is watched. Those of a
// subagent are its session's.
func (d *Desk) Edited(id string, files []string) {
	root, _, _ := strings.Cut(id, "-agent-")
	d.Wrote(root, "", files)
}

// Workspace is the folder that a session began in, where the folder it is in now is
// inside of that one.
func (d *Desk) Workspace(id, folder string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.sessions[id]; ok {
		if s := e.Value.(*session); within(folder, s.workspace) {
			return s.workspace
		}
	}
	return folder
}

// Wait returns once every worktree that is being looked at was seen.
func (d *Desk) Wait() { d.pending.Wait() }
