package policy

import (
	"maps"
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State is what is known of a group's run and its sessions. In the group of a
// session without a run it holds that session alone.
type State struct {
	Run      string              `json:"run,omitempty"`
	Control  Control             `json:"control,omitzero"`
	Sessions map[string]*Session `json:"sessions,omitempty"`
	Heard    int                 `json:"heard,omitempty"` // counts turns; orders the sessions

	Place       Place        `json:"place,omitzero"`
	Agents      Failures     `json:"agent_failures,omitzero"`
	Tasks       Failures     `json:"task_failures,omitzero"`
	Shadows     []Repeats    `json:"shadows,omitempty"`
	Suite       Suite        `json:"suite,omitzero"`
	Spending    Spending     `json:"spending,omitzero"`
	Checkpoint  Checkpoint   `json:"checkpoint,omitzero"`
	Cycles      Cycles       `json:"cycles,omitzero"`
	Ladder      []Issue      `json:"ladder,omitempty"`
	Escalations []Escalation `json:"escalations,omitempty"` // open ones, oldest first
	Decided     Decided      `json:"decided,omitzero"`
	Waits       *Question    `json:"waits,omitempty"` // nil: the run waits for no answer
	Over        bool         `json:"over,omitempty"`  // it completed, and nothing began since

	// changed: what control.changed last said may be out of date. Never set
	// between two events.
	changed bool
	// forgotten are sessions that had no room, whose keys must go. Never set
	// between two events.
	forgotten []string
}

// Control is whether a run or a session may go on, and what was said of it.
type Control struct {
	State runevents.ControlState `json:"state,omitempty"`
	Who   string                 `json:"who,omitempty"`
	Why   string                 `json:"why,omitempty"`
	Open  *Open                  `json:"open,omitempty"` // the open break
	Told  runevents.ControlState `json:"told,omitempty"` // last control.changed
	Cause string                 `json:"cause,omitempty"`
	Asked string                 `json:"asked,omitempty"` // the question it told of
	Ended bool                   `json:"ended,omitempty"` // it told the end
	// asks is the question to tell of. Set only in what [State.standing] gives.
	asks string
}

// Open is a break that nobody has resumed from.
type Open struct {
	ID        string                 `json:"id"`
	Kind      runevents.BreakKind    `json:"kind"`
	Trigger   runevents.BreakTrigger `json:"trigger"`
	Upgraded  string                 `json:"upgraded,omitempty"` // id of the soft break it replaced
	Event     string                 `json:"event"`              // that led to it
	Revert    string                 `json:"revert,omitempty"`   // the merge to revert
	Reverted  bool                   `json:"reverted,omitempty"`
	Unhealed  bool                   `json:"unhealed,omitempty"`  // said: acknowledged before the revert
	Escalated bool                   `json:"escalated,omitempty"` // that it is ignored
	Ignored   int                    `json:"ignored,omitempty"`   // acts of the orchestrator since
	// Noted are the triggers it stands for beside its own: noted on it, or of the
	// soft break it replaced (RW-32).
	Noted []runevents.BreakTrigger `json:"noted,omitempty"`
	// Against are the triggers told beside it: what was done against the halt.
	Against []runevents.BreakTrigger `json:"against,omitempty"`
}

// Session is a session of the group.
type Session struct {
	Control Control `json:"control,omitzero"` // by breaks of its own (RW-35)
	Agent   string  `json:"agent,omitempty"`
	Turn    int     `json:"turn,omitempty"`
	Heard   int     `json:"heard,omitempty"` // State.Heard when it was last heard of
	Closed  bool    `json:"closed,omitempty"`
	Left    bool    `json:"left,omitempty"`    // not heard of since its run completed
	Drained bool    `json:"drained,omitempty"` // ended a turn since the run drains
	Ignored int     `json:"ignored,omitempty"` // turns since the hard break
}

// Decided are the decisions that signals of a run event led to before the event
// itself came: run.evaluated names them.
type Decided struct {
	Event string   `json:"event,omitempty"`
	IDs   []string `json:"ids,omitempty"`
}

// hear begins the run of the group; it reports false for another run's event.
func (s *State) hear(run string) bool {
	if s.Run == "" && run != "" {
		s.Run, s.Control.State, s.changed = run, runevents.ControlRunning, true
	}
	return s.Run == run
}

// session is a session of the group; one that is not known begins here.
func (s *State) session(id string, limit int) *Session {
	if known := s.Sessions[id]; known != nil {
		return known
	}
	if s.Sessions == nil {
		s.Sessions = map[string]*Session{}
	}
	one := &Session{Control: Control{State: runevents.ControlRunning}, Heard: s.Heard}
	s.Sessions[id] = one
	s.changed = true
	s.makeRoom(limit, id)
	return one
}

// makeRoom forgets sessions beyond limit: those that ended first, those that a
// break of their own stopped last, else the one that was silent longest.
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
		if told := &s.Sessions[oldest].Control; told.Told == runevents.ControlRunning && !told.Ended {
			s.forgotten, s.changed = append(s.forgotten, oldest), true
		}
		delete(s.Sessions, oldest)
	}
}

func (s *Session) before(other *Session) bool {
	if stopped := s.Control.Open != nil; stopped != (other.Control.Open != nil) {
		return !stopped
	}
	if s.ended() != other.ended() {
		return s.ended()
	}
	return s.Heard < other.Heard
}

// ended reports whether nothing more is expected of the session.
func (s *Session) ended() bool { return s.Closed || s.Left }

func (s *State) sessionIDs() []string { return slices.Sorted(maps.Keys(s.Sessions)) }

// keepLast drops the oldest beyond limit.
func keepLast[T any](list []T, limit int) []T {
	if len(list) > limit {
		return slices.Delete(list, 0, len(list)-limit)
	}
	return list
}
