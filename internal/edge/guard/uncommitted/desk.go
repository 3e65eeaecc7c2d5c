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

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Limits of what is remembered.
const (
	maxSessions = 256
	maxWritten  = 2048
	maxSaid     = 3
	maxSaying   = 4 << 10
	maxBefore   = 4096
	live        = 2 * time.Hour    // since a session's last call
	baseline    = 10 * time.Second // a busy machine; the session does not wait for it
)

// Desk knows the uncommitted work of sessions. It is safe for concurrent use.
type Desk struct {
	// Patience limits how long Git may take for one call.
	Patience time.Duration
	trees

	mu       sync.Mutex
	sessions map[string]*list.Element // of *session
	recent   *list.List
	now      func() time.Time
	pending  sync.WaitGroup
}

// session is what is known of one session and its subagents.
type session struct {
	id        string
	workspace string
	last      time.Time
	ended     bool
	written   map[string]time.Time // absolute paths, with the time of the last write
	said      []string
	reported  string          // the agent's last words since the person's last message
	offer     string          // its last words before that message
	before    map[string]bool // files changed before it began; nil if unknown
	looking   chan struct{}   // closed once that is known; nil if nobody is looking
	kept      map[string]bool // files in a snapshot that was reported to it
	made      creations
	stashing  *stashing // a call that creates stashes, until the next call
}

// New returns an empty desk.
func New() *Desk {
	return &Desk{
		Patience: Patience, trees: newTrees(), sessions: map[string]*list.Element{}, recent: list.New(), now: time.Now,
	}
}

// at returns a session, which it creates if it is new; the one that has been idle longest is dropped. The
// caller holds the lock.
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

// Seen records that a session is at work in a workspace. On the first call of a session that is only
// beginning, it also looks up what is changed there, concurrently with the call that waits for an answer;
// for a session that began earlier, its own changes would look like somebody else's. Begins may take as long
// as its context to find that out.
func (d *Desk) Seen(id, workspace string, begins func(context.Context) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	s.last, s.ended = d.now(), false
	if workspace == "" || s.workspace != "" {
		return
	}
	s.workspace = path.Clean(filepath.ToSlash(workspace))
	s.resolve()
	looking := make(chan struct{})
	s.looking = looking
	d.pending.Go(func() {
		defer close(looking)
		d.look(s, begins)
	})
}

// Beginning is of a session that is known to be only beginning.
func Beginning(context.Context) bool { return true }

// look records what is changed before a session writes anything.
func (d *Desk) look(s *session, begins func(context.Context) bool) {
	ctx, cancel := context.WithTimeout(context.Background(), max(baseline, d.Patience))
	defer cancel()
	files, _, err := d.status(ctx, s.workspace)
	if err != nil || len(files) > maxBefore || !begins(ctx) {
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

// looked waits until a pending look-up of what was changed before a session began is finished: otherwise an
// immediate first call would take a person's work for that of an unknown author. It leaves half of the time
// for the call's own questions.
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

// Ended records that a session is over.
func (d *Desk) Ended(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.sessions[id]; ok {
		e.Value.(*session).ended = true
	}
}

// Said records a person's message.
func (d *Desk) Said(id, whole string) {
	if whole == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	s.said = text.Newest(append(s.said, whole[:min(len(whole), maxSaying)]), maxSaid)
	s.offer, s.reported = s.reported, ""
}

// Reported records what an agent says at the end of a response, which may propose something.
func (d *Desk) Reported(id, s string) {
	if s == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at(id).reported = text.Tail(s, maxSaying)
}

// Offer returns what the agent of a session said before the person's last message (JD-30).
func (d *Desk) Offer(id string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.sessions[id]; ok {
		return e.Value.(*session).offer
	}
	return ""
}

// Messages returns a person's last messages to a session, oldest first.
func (d *Desk) Messages(id string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e, ok := d.sessions[id]; ok {
		return slices.Clone(e.Value.(*session).said)
	}
	return nil
}

// Wrote records files that a session writes, under the names that it uses.
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

// Written returns the files that a session wrote, absolute if its workspace is known, latest last.
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

// touched reports whether a session wrote or created a path, or something inside it.
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

// resolve makes relative paths absolute once the workspace is known.
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

// Edited records files that a session was observed to edit, however it is watched. Those of a subagent
// count for its session.
func (d *Desk) Edited(id string, files []string) {
	root, _, _ := strings.Cut(id, "-agent-")
	d.Wrote(root, "", files)
}

// Workspace returns the folder that a session began in, provided its current folder is inside.
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

// Wait returns once no look-up of a worktree is pending.
func (d *Desk) Wait() { d.pending.Wait() }

// owners determines who wrote each file.
func (d *Desk) owners(id, root string, files []guard.WorkFile, committed map[string]time.Time) guard.Work {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := d.at(id)
	work := guard.Work{Unseen: own.before == nil}
	var others []*session
	for e := d.recent.Front(); e != nil; e = e.Next() {
		s := e.Value.(*session)
		if s != own && (within(s.workspace, root) || within(root, s.workspace)) {
			others = append(others, s)
			if !s.ended && d.now().Sub(s.last) < live {
				work.Others = append(work.Others, s.id)
			}
		}
	}
	slices.SortFunc(others, func(a, b *session) int { return cmp.Compare(a.id, b.id) })
	for _, f := range files {
		_, f.Own = own.written[f.Path]
		for _, s := range others {
			if at, wrote := s.written[f.Path]; wrote && !committed[f.Path].After(at) {
				f.Session = s.id
				f.Own = false // both did: the caller must not destroy it
			}
		}
		f.Before = f.Session == "" && own.before[f.Path]
		f.Own = f.Own && !f.Before
		f.Kept = own.kept[f.Path]
		work.Files = append(work.Files, f)
	}
	return work
}

func within(name, folder string) bool {
	return name != "" && folder != "" && (name == folder || strings.HasPrefix(name, strings.TrimSuffix(folder, "/")+"/"))
}

// Kept records files of somebody else that are in a snapshot which was reported to a session.
func (d *Desk) Kept(id string, files []guard.WorkFile) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.at(id)
	if s.kept == nil || len(s.kept)+len(files) > maxBefore {
		s.kept = map[string]bool{}
	}
	for _, f := range files {
		s.kept[f.Path] = true
	}
}
