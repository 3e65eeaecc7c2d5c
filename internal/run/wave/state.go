package wave

import (
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// State holds the facts about a run. It is bounded by the section "wave.kept" of the rule
// data, plain JSON, and empty for a run without events of the protocol.
type State struct {
	Kind   string `json:"kind,omitempty"`   // kind of the run, if given
	Active bool   `json:"active,omitempty"` // the run uses the protocol
	Phase  Phase  `json:"phase,omitempty"`
	// Midway is set if the run was joined in progress, so that earlier events are
	// unknown.
	Midway bool `json:"midway,omitempty"`
	// Infra is set if infrastructure reports on the run, so that claims no longer count.
	Infra bool `json:"infra,omitempty"`
	// Document is set if facts come from the run's plan document (IN-10).
	Document bool `json:"document,omitempty"`

	Plan      Plan         `json:"plan"`
	Current   int          `json:"current,omitempty"` // the wave that Phase refers to
	Waves     Waves        `json:"waves,omitempty"`   // by number
	Hook      Hook         `json:"hook"`
	Trip      *Trip        `json:"trip,omitempty"` // an isolation failure that a person must resolve
	Tests     bool         `json:"tests,omitempty"`
	Frozen    bool         `json:"frozen,omitempty"` // a worktree has existed: contracts are frozen (E2)
	Ended     bool         `json:"ended,omitempty"`
	Cut       bool         `json:"cut,omitempty"` // more files or agents than are kept, so ownership cannot be verified
	Checklist []FailedItem `json:"checklist,omitempty"`

	Orchestrators []string       `json:"orchestrators,omitempty"` // ids of actors
	Scouts        []string       `json:"scouts,omitempty"`
	Scaffolders   []string       `json:"scaffolders,omitempty"`
	Sessions      []AgentSession `json:"sessions,omitempty"`
	Claimed       []events.Type  `json:"claimed,omitempty"` // reported claims

	Judged    []Judged   `json:"judged,omitempty"`
	Unkept    int        `json:"unkept,omitempty"` // judgements beyond the bound
	Incidents []Incident `json:"incidents,omitempty"`
}

// Plan is what the scout planned and the operator approved.
type Plan struct {
	Verdict   string          `json:"verdict,omitempty"`
	Waves     int             `json:"waves,omitempty"`
	Scaffolds []ScaffoldState `json:"scaffolds,omitempty"`
	Failed    string          `json:"failed,omitempty"` // why the scaffold failed
	Approvals int             `json:"approvals,omitempty"`
	Approved  bool            `json:"approved,omitempty"`
	Revised   string          `json:"revised,omitempty"`  // the change of contracts that needs a re-approval
	Cosmetic  string          `json:"cosmetic,omitempty"` // the commit before the review (WP-8)
	// Early are files that were committed before the first approval.
	Early []FileAt `json:"early,omitempty"`
}

// ScaffoldState is a scaffold file with its status.
type ScaffoldState struct {
	File   string `json:"file"`
	Status string `json:"status"` // pending, committed
}

// FileAt is a file in an event.
type FileAt struct {
	File  string `json:"file"`
	Event string `json:"event"`
}

// Hook is the ephemeral pre-commit hook (WP-18).
type Hook struct {
	Installed bool `json:"installed,omitempty"`
	Backup    bool `json:"backup,omitempty"`
	Due       bool `json:"due,omitempty"` // its wave is verified, so it must be removed
	Ever      bool `json:"ever,omitempty"`
}

// Trip is a break that only an operator's recovery ends (WP-1, WP-3).
type Trip struct {
	Wave    int      `json:"wave"`
	Rule    string   `json:"rule"`
	Event   string   `json:"event"`
	Letters []string `json:"letters,omitempty"` // of the empty branches
	Option  int      `json:"option,omitempty"`  // 2 once it is being investigated
}

// FailedItem is a failed item of a review's checklist (PL-41).
type FailedItem struct {
	Item  string `json:"item"`
	By    string `json:"by"`
	Cycle int    `json:"cycle,omitempty"`
	Event string `json:"event"`
}

// AgentSession maps an agent to its session.
type AgentSession struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
}

// awaiting reports whether only an operator may continue (WP-2).
func (s *State) awaiting() bool { return s.Trip != nil && s.Trip.Option == 0 }

// current returns the wave that the phase refers to, nil if there is none.
func (s *State) current() *Wave { return s.Waves.numbered(s.Current) }

// needWave returns a wave by its number, adding it if there is room; nil for a number
// that is invalid or beyond the bound.
func (s *State) needWave(c *Config, number int) *Wave {
	if w := s.Waves.numbered(number); w != nil {
		return w
	}
	if number < 1 {
		return nil
	}
	if len(s.Waves) >= c.Kept.Waves {
		s.Cut = true
		return nil
	}
	i, _ := slices.BinarySearchFunc(s.Waves, number, func(w *Wave, n int) int { return w.Number - n })
	w := &Wave{Number: number}
	s.Waves = slices.Insert(s.Waves, i, w)
	return w
}

// paths returns the number of files in the state.
func (s *State) paths() int {
	return len(s.Plan.Early) + len(s.Plan.Scaffolds) + s.Waves.paths()
}
