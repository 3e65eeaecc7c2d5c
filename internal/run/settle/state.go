package settle

import (
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State is the control of a group's run and of its sessions. The group of a session
// without a run holds that session alone.
type State struct {
	Run         string              `json:"run,omitempty"`
	Control     Control             `json:"control,omitzero"`
	Sessions    map[string]*Session `json:"sessions,omitempty"`
	Activity    int                 `json:"activity,omitempty"`    // counts turns; orders the sessions
	Escalations []Escalation        `json:"escalations,omitempty"` // open ones, oldest first
	Decided     Decided             `json:"decided,omitzero"`
	Question    *run.Question       `json:"question,omitempty"` // nil if no question is open
	Over        bool                `json:"over,omitempty"`     // completed, without later work
	Known       bool                `json:"known,omitempty"`    // an event of the run was received, not only questions
	Refused     []Refused           `json:"refused,omitempty"`  // unknown facts, oldest first

	// changed is set if the last control.changed may be out of date. It is never set
	// between two events.
	changed bool
	// dropped are sessions that were removed to make room; their keys must end. It is
	// empty between two events.
	dropped []string
}

// Control is whether a run or session may continue, and what was published about
// it.
type Control struct {
	State     runevents.ControlState `json:"state,omitempty"`
	Who       string                 `json:"who,omitempty"`
	Why       string                 `json:"why,omitempty"`
	Open      *Open                  `json:"open,omitempty"`      // the open break
	Published runevents.ControlState `json:"published,omitempty"` // by the last control.changed
	Cause     string                 `json:"cause,omitempty"`     // the break it named
	Asked     string                 `json:"asked,omitempty"`     // the question it named
	Ended     bool                   `json:"ended,omitempty"`     // the end was published
	// asks is the question to publish. Set only by [State.Standing].
	asks string
}

// Open is a break that has not been resumed from.
type Open struct {
	ID        string                 `json:"id"`
	Kind      runevents.BreakKind    `json:"kind"`
	Trigger   runevents.BreakTrigger `json:"trigger"`
	Upgraded  string                 `json:"upgraded,omitempty"` // id of the soft break it replaced
	Event     string                 `json:"event"`              // the cause
	At        time.Time              `json:"at,omitzero"`        // when the cause happened
	Revert    string                 `json:"revert,omitempty"`   // the merge to revert
	Reverted  bool                   `json:"reverted,omitempty"`
	Unhealed  bool                   `json:"unhealed,omitempty"`  // acknowledged before the revert, and escalated
	Escalated bool                   `json:"escalated,omitempty"` // it was escalated that the halt is ignored
	Ignored   int                    `json:"ignored,omitempty"`   // acts of the orchestrator since the break
	// Noted are the other triggers that the break covers: those noted on it and those
	// of the soft break it replaced (RW-32).
	Noted []runevents.BreakTrigger `json:"noted,omitempty"`
	// Against are the triggers of further breaks: acts against the halt.
	Against []runevents.BreakTrigger `json:"against,omitempty"`
}

// Hard reports whether an open hard break applies.
func (c *Control) Hard() bool {
	return c.State == runevents.ControlHalted && c.Open != nil && c.Open.Kind == runevents.BreakHard
}

// Session is a session of the group.
type Session struct {
	Control  Control `json:"control,omitzero"` // by breaks of its own (RW-35)
	Agent    string  `json:"agent,omitempty"`
	Turn     int     `json:"turn,omitempty"`
	Activity int     `json:"activity,omitempty"` // State.Activity at its last turn
	Closed   bool    `json:"closed,omitempty"`
	Left     bool    `json:"left,omitempty"`    // silent since its run completed
	Drained  bool    `json:"drained,omitempty"` // ended a turn since the run began to drain
	Ignored  int     `json:"ignored,omitempty"` // turns since the hard break
}

// Ended reports whether the session is over.
func (s *Session) Ended() bool { return s.Closed || s.Left }

// Decided holds the decisions about signals of a run event that were made before the
// event itself: run.evaluated lists them.
type Decided struct {
	Event string   `json:"event,omitempty"`
	IDs   []string `json:"ids,omitempty"`
}

// Changed makes [Config.Decide] compare the published state with the current one.
func (s *State) Changed() { s.changed = true }

// Begin starts the run of the group. It returns false for another run's event.
func (s *State) Begin(id string) bool {
	if s.Run == "" && id != "" {
		s.Run, s.Control.State, s.changed = id, runevents.ControlRunning, true
	}
	return s.Run == id
}

// Session returns a session of the group, adding it if it is unknown; above the limit
// another one is dropped.
func (s *State) Session(id string, limit int) *Session {
	if known := s.Sessions[id]; known != nil {
		return known
	}
	if s.Sessions == nil {
		s.Sessions = map[string]*Session{}
	}
	one := &Session{Control: Control{State: runevents.ControlRunning}, Activity: s.Activity}
	s.Sessions[id] = one
	s.changed = true
	s.makeRoom(limit, id)
	return one
}

// makeRoom drops sessions above the limit: ended ones first, then the longest silent one;
// those stopped by their own break come last.
func (s *State) makeRoom(limit int, but string) {
	for len(s.Sessions) > limit {
		oldest := ""
		for _, id := range s.sessionIDs() {
			if id != but && (oldest == "" || s.Sessions[id].before(s.Sessions[oldest])) {
				oldest = id
			}
		}
		if oldest == "" {
			return
		}
		if known := &s.Sessions[oldest].Control; known.Published == runevents.ControlRunning && !known.Ended {
			s.dropped, s.changed = append(s.dropped, oldest), true
		}
		delete(s.Sessions, oldest)
	}
}

// before reports whether a session is dropped before another.
func (s *Session) before(other *Session) bool {
	if stopped := s.Control.Open != nil; stopped != (other.Control.Open != nil) {
		return !stopped
	}
	if s.Ended() != other.Ended() {
		return s.Ended()
	}
	return s.Activity < other.Activity
}

func (s *State) sessionIDs() []string { return slices.Sorted(maps.Keys(s.Sessions)) }

// SessionOf returns the session that an agent works in, "" if it is unknown.
func (s *State) SessionOf(agent string) string {
	if agent == "" {
		return ""
	}
	found := ""
	for _, id := range s.sessionIDs() {
		one := s.Sessions[id]
		if one.Agent == agent && (found == "" || s.Sessions[found].before(one)) {
			found = id
		}
	}
	return found
}

// Controls returns the control of the run, then of its sessions in order of id.
func (s *State) Controls() []*Control {
	out := []*Control{&s.Control}
	for _, id := range s.sessionIDs() {
		out = append(out, &s.Sessions[id].Control)
	}
	return out
}

// openBreak returns an open break by its id, nil if there is none.
func (s *State) openBreak(id string) *Open {
	for _, control := range s.Controls() {
		if control.Open != nil && control.Open.ID == id {
			return control.Open
		}
	}
	return nil
}
