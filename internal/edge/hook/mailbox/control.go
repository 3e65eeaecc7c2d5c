package mailbox

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State returns the strictest control state of a session, the session that it is a subagent of ("" for
// none), and its run.
func (m *Mailbox) State(session, parent, run string) runevents.Control {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := []string{runevents.SessionControlKey(session)}
	if parent != "" && parent != session {
		keys = append(keys, runevents.SessionControlKey(parent))
	}
	for _, id := range []string{session, parent} {
		if b := m.known(id); run == "" && b != nil {
			run = b.run
		}
	}
	if run != "" {
		keys = append(keys, runevents.RunControlKey(run))
	}
	now := m.control.Of(keys...)
	if !m.caught || !m.opened(session, parent, run) {
		now = control.Strictest(now, m.before.Of(keys...))
	}
	return now
}

// Keep stores a state from the bucket CONTROL, for keys on which DECISIONS has nothing (EV-8).
func (m *Mailbox) Keep(key string, state runevents.Control) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.control.Keep(key, state)
}

// changed folds a control.changed. What has ended is forgotten, so that memory does not grow with the past.
func (m *Mailbox) changed(e events.Event, at uint64) {
	if change, is := m.control.Decide(e, at); is && change.Ended {
		m.control.Forget(change.Key)
	}
}
