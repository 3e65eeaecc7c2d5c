package mailbox

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// halts are the states of runs and sessions by their keys in CONTROL. What was
// decided counts, for that is proven (EV-6); where that is gone by age, what CONTROL
// says; where it has no key, the last wiggum.break.
type halts struct {
	decided map[string]events.Control
	control map[string]events.Control
	breaks  map[string]events.Control
}

func newHalts() halts {
	return halts{decided: map[string]events.Control{}, control: map[string]events.Control{}, breaks: map[string]events.Control{}}
}

func (h *halts) of(key string) events.Control {
	if c, ok := h.decided[key]; ok {
		return c
	}
	if c, ok := h.control[key]; ok && c.State != events.ControlUnknown { // unreadable, it takes nothing back
		return c
	}
	return h.breaks[key]
}

// broke takes a wiggum.break: a hard one halts, a soft one lets the current task
// be finished (RW-30, RW-31).
func (h *halts) broke(id string, b *events.WiggumBreak, subject string) {
	c := events.Control{State: events.ControlHalted, Break: id, Why: b.Reason}
	if b.Kind == events.BreakSoft {
		c.State = events.ControlDraining
	}
	key := haltKey(b.Scope == "run", b.Run, b.Session, subject)
	if strictness[c.State] >= strictness[h.breaks[key].State] { // only a person takes a halt back
		h.breaks[key] = c
	}
}

// changed takes a decided state; it settles what a break before it meant. What
// ended is known of no more.
func (h *halts) changed(d *events.ControlChanged, subject string) {
	key := haltKey(d.Scope != events.ScopeSession, subject, subject, subject)
	delete(h.breaks, key)
	if d.Ended {
		delete(h.decided, key)
		return
	}
	h.decided[key] = d.Control()
}

func haltKey(ofRun bool, run, session, subject string) string {
	if ofRun {
		if run == "" {
			run = subject
		}
		return events.RunControlKey(run)
	}
	if session == "" {
		session = subject
	}
	return events.SessionControlKey(session)
}

// resumed takes a person's word that a run or session may go on.
func (h *halts) resumed(run, session string) {
	if session != "" {
		delete(h.breaks, events.SessionControlKey(session))
	} else if run != "" {
		delete(h.breaks, events.RunControlKey(run))
	}
}

// strictness orders the states that stop something.
var strictness = map[events.ControlState]int{events.ControlDraining: 1, events.ControlPaused: 2, events.ControlHalted: 3}

// State is the strictest state of a session, of the session that it is a subagent
// of, "" for none, and of its run; the zero value is nothing known that stops it.
func (m *Mailbox) State(session, parent, run string) events.Control {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := []string{events.SessionControlKey(session)}
	if parent != "" && parent != session {
		keys = append(keys, events.SessionControlKey(parent))
	}
	for _, id := range []string{session, parent} {
		if b := m.known(id); run == "" && b != nil {
			run = b.run
		}
	}
	if run != "" {
		keys = append(keys, events.RunControlKey(run))
	}
	out := m.halts.strictest(keys)
	if before := m.before.strictest(keys); !(m.caught && m.control) && strictness[before.State] > strictness[out.State] {
		return before
	}
	return out
}

func (h *halts) strictest(keys []string) (out events.Control) {
	for _, key := range keys {
		if c := h.of(key); strictness[c.State] > strictness[out.State] {
			out = c
		}
	}
	return out
}
