package mailbox

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State returns the control state that holds for a session, for the session that it
// is a subagent of, "" for none, and for its run together: the strictest one.
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
	if !m.caught {
		now = control.Strictest(now, m.before.Of(keys...))
	}
	return now
}

// Keep takes a state from the bucket CONTROL, for where DECISIONS says nothing of
// its key (EV-8).
func (m *Mailbox) Keep(key string, state runevents.Control) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.control.Keep(key, state)
}

// changed folds a control.changed. What has ended is forgotten, so that what is
// kept does not grow with what was.
func (m *Mailbox) changed(e events.Event) {
	if change, is := m.control.Decide(e, 0); is && change.Ended {
		m.control.Forget(change.Key)
	}
}
