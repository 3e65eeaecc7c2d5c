package mailbox

import runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

// halts are the states of runs and sessions by their keys in CONTROL. What was
// decided counts, for that is proven (EV-6); where that is gone by age, what CONTROL
// says; where it has no key, the last wiggum.break.
type halts struct {
	decided map[string]runevents.Control
	control map[string]runevents.Control
	breaks  map[string]runevents.Control
}

func newHalts() halts {
	return halts{decided: map[string]runevents.Control{}, control: map[string]runevents.Control{}, breaks: map[string]runevents.Control{}}
}

func (h *halts) of(key string) runevents.Control {
	if c, ok := h.decided[key]; ok {
		return c
	}
	if c, ok := h.control[key]; ok && c.State != runevents.ControlUnknown { // unreadable, it takes nothing back
		return c
	}
	return h.breaks[key]
}

// broke takes a wiggum.break: a hard one halts, a soft one lets the current task
// be finished (RW-30, RW-31).
func (h *halts) broke(id string, b *runevents.WiggumBreak, subject string) {
	c := runevents.Control{State: runevents.ControlHalted, Break: id, Why: b.Reason}
	if b.Kind == runevents.BreakSoft {
		c.State = runevents.ControlDraining
	}
	key := haltKey(b.Scope == "run", b.Run, b.Session, subject)
	if strictness[c.State] >= strictness[h.breaks[key].State] { // only a person takes a halt back
		h.breaks[key] = c
	}
}

// changed takes a decided state; it settles what a break before it meant. What
// ended is known of no more.
func (h *halts) changed(d *runevents.ControlChanged, subject string) {
	key := haltKey(d.Scope != runevents.ScopeSession, subject, subject, subject)
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
		return runevents.RunControlKey(run)
	}
	if session == "" {
		session = subject
	}
	return runevents.SessionControlKey(session)
}

// resumed takes a person's word that a run or session may go on.
func (h *halts) resumed(run, session string) {
	if session != "" {
		delete(h.breaks, runevents.SessionControlKey(session))
	} else if run != "" {
		delete(h.breaks, runevents.RunControlKey(run))
	}
}

// strictness orders the states that stop something.
var strictness = map[runevents.ControlState]int{runevents.ControlDraining: 1, runevents.ControlPaused: 2, runevents.ControlHalted: 3}

// State is the strictest state of a session, of the session that it is a subagent
// of, "" for none, and of its run; the zero value is nothing known that stops it.
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
	out := m.halts.strictest(keys)
	if before := m.before.strictest(keys); !(m.caught && m.control) && strictness[before.State] > strictness[out.State] {
		return before
	}
	return out
}

func (h *halts) strictest(keys []string) (out runevents.Control) {
	for _, key := range keys {
		if c := h.of(key); strictness[c.State] > strictness[out.State] {
			out = c
		}
	}
	return out
}
