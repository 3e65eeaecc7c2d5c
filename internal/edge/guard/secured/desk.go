package secured

import (
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/once"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// maxSessions limits the sessions whose denials are kept.
const maxSessions = 1024

// Desk holds the denials of all sessions. It is safe for concurrent use.
type Desk struct {
	mu       sync.Mutex
	sessions map[string]*once.Pending
}

// With calls do with the denials of a session.
func (d *Desk) With(session string, now time.Time, do func(*once.Pending)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions == nil {
		d.sessions = map[string]*once.Pending{}
	}
	p := d.sessions[session]
	if p == nil {
		d.tidy(now)
		p = &once.Pending{}
	}
	do(p)
	if len(*p) > 0 {
		d.sessions[session] = p
	}
}

// tidy forgets sessions without pending denials.
func (d *Desk) tidy(now time.Time) {
	if len(d.sessions) < maxSessions {
		return
	}
	for id, p := range d.sessions {
		if p.Tidy(now); len(*p) == 0 {
			delete(d.sessions, id)
		}
	}
	if len(d.sessions) >= maxSessions {
		clear(d.sessions)
	}
}

// Allow adds a permission to the denial of a word, and reports whether there is such a denial.
func (d *Desk) Allow(session, word string, given sessionevents.GuardPermission, now time.Time) (ok bool) {
	d.With(session, now, func(p *once.Pending) { ok = p.Allow(word, given, now) })
	return ok
}
