package wave

import (
	"slices"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Wave is one wave of a run.
type Wave struct {
	Number  int      `json:"number"`
	Planned bool     `json:"planned,omitempty"`
	Agents  []*Agent `json:"agents,omitempty"` // by letter

	Started        bool   `json:"started,omitempty"` // wave.started was received
	LaunchAllowed  bool   `json:"launch_allowed,omitempty"`
	LaunchDenied   string `json:"launch_denied,omitempty"` // the rule that denied it
	CreationDenied string `json:"creation_denied,omitempty"`
	MergeAllowed   bool   `json:"merge_allowed,omitempty"`
	MergeDenied    string `json:"merge_denied,omitempty"`
	MergeWithdrawn bool   `json:"merge_withdrawn,omitempty"` // allowed, but later shown to have merged nothing
	Merged         bool   `json:"merged,omitempty"`
	Verified       bool   `json:"verified,omitempty"`
	Unverified     bool   `json:"unverified,omitempty"` // the verification failed

	Parallel bool `json:"parallel,omitempty"` // two agents ran in parallel (E1)
	// Tainted is an isolation failure that an operator accepted; it is permanent (WP-16).
	Tainted     bool `json:"tainted,omitempty"`
	TaintNoted  bool `json:"taint_noted,omitempty"`
	TaintTested bool `json:"taint_tested,omitempty"`

	OnMain   bool                  `json:"on_main,omitempty"` // someone other than the orchestrator committed to main (WP-13)
	Dirty    []runevents.Reference `json:"dirty,omitempty"`   // uncommitted on main, as last counted
	Onto     []runevents.Reference `json:"onto,omitempty"`    // commits to main while it ran
	Reported []string              `json:"told,omitempty"`    // what has been reported, once each
}

// Agent is one agent of a wave.
type Agent struct {
	Letter   string        `json:"letter"`
	ID       string        `json:"id,omitempty"`
	Session  string        `json:"session,omitempty"`
	Owns     []string      `json:"owns,omitempty"`
	Descoped bool          `json:"descoped,omitempty"`
	Worktree *WorktreeKept `json:"worktree,omitempty"`

	Started   string `json:"started,omitempty"`   // event
	Ended     string `json:"ended,omitempty"`     // event
	Status    string `json:"status,omitempty"`    // complete, partial, blocked, failed, timeout
	Isolation string `json:"isolation,omitempty"` // the parameter it was started with
	Field0    string `json:"field0,omitempty"`    // ok, failed

	Commits int      `json:"commits,omitempty"` // according to infrastructure
	Shas    []string `json:"shas,omitempty"`
	// Stated is the number of commits that the agent reports, -1 if it does not report
	// one.
	Stated int       `json:"stated"`
	Files  []Changed `json:"files,omitempty"` // by path
	Merged bool      `json:"merged,omitempty"`
}

// WorktreeKept is an agent's worktree.
type WorktreeKept struct {
	Path    string `json:"path"`
	Branch  string `json:"branch,omitempty"`
	Event   string `json:"event"`
	Live    bool   `json:"live,omitempty"`
	Claimed bool   `json:"claimed,omitempty"`
	Stale   bool   `json:"stale,omitempty"` // contracts changed since, so it must be created again (WP-11)
}

// Changed is a file that an agent changed or created.
type Changed struct {
	Path  string `json:"path"`
	Blob  string `json:"blob,omitempty"` // the id of its content, if infrastructure reports it
	Event string `json:"event"`
	// Claimed is set if only the agent's report mentions it.
	Claimed bool `json:"claimed,omitempty"`
}

// Statuses of an agent.
const (
	statusComplete = "complete"
	statusPartial  = "partial"
	statusBlocked  = "blocked"
	statusFailed   = "failed"
	statusTimeout  = "timeout"
)

// endings describe for people how an agent ended without completing.
var endings = map[string]string{
	statusPartial: "did only a part of its work",
	statusBlocked: "is blocked",
	statusFailed:  "failed",
	statusTimeout: "timed out",
}

// agent returns an agent by its letter, nil if unknown.
func (w *Wave) agent(letter string) *Agent {
	if w == nil {
		return nil
	}
	letter = capital(letter)
	i, ok := slices.BinarySearchFunc(w.Agents, letter, func(a *Agent, l string) int { return strings.Compare(a.Letter, l) })
	if !ok {
		return nil
	}
	return w.Agents[i]
}

// waveWith returns the wave of an event about an agent that may lack the wave's number:
// the current wave if it contains the agent, otherwise the latest that does.
func (s *State) waveWith(number int, letter string) *Wave {
	if number != 0 {
		return s.Waves.numbered(number)
	}
	current := s.current()
	if current.agent(letter) != nil {
		return current
	}
	for _, w := range slices.Backward(s.Waves) {
		if w.agent(letter) != nil {
			return w
		}
	}
	return current
}

// needAgent returns an agent by its letter, adding it if there is room; nil without a
// letter or beyond the bound.
func (s *State) needAgent(c *Config, w *Wave, letter string) *Agent {
	if a := w.agent(letter); a != nil {
		return a
	}
	if w == nil || letter == "" || len(letter) > maxLetter {
		return nil
	}
	letter = capital(letter)
	if len(w.Agents) >= c.Kept.Agents {
		s.Cut = true
		return nil
	}
	i, _ := slices.BinarySearchFunc(w.Agents, letter, func(a *Agent, l string) int { return strings.Compare(a.Letter, l) })
	a := &Agent{Letter: letter, Stated: -1}
	w.Agents = slices.Insert(w.Agents, i, a)
	return a
}

// capital returns an agent's letter in the form used in names (E5).
func capital(letter string) string {
	if len(letter) == 1 || len(letter) == 2 && letter[1] >= '2' && letter[1] <= '9' {
		return strings.ToUpper(letter)
	}
	return letter
}

// maxLetter bounds the text given as an agent's letter.
const maxLetter = 16

// scoped returns the agents that were not descoped.
func (w *Wave) scoped() []*Agent {
	var out []*Agent
	for _, a := range w.Agents {
		if !a.Descoped {
			out = append(out, a)
		}
	}
	return out
}

// solo reports whether the wave has one agent, on main (WP-13).
func (w *Wave) solo() bool {
	agents := w.scoped()
	return len(agents) == 1 && !w.hasWorktree() && (w.Planned || agents[0].Isolation != isolationWorktree)
}

// parallel reports whether the wave has two or more agents (WP-7).
func (w *Wave) parallel() bool { return len(w.scoped()) >= 2 }

// hasWorktree reports whether a worktree was created for the wave.
func (w *Wave) hasWorktree() bool {
	return slices.ContainsFunc(w.Agents, func(a *Agent) bool { return a.Worktree != nil })
}

// launched reports whether one of its agents runs or has run.
func (w *Wave) launched() bool {
	return slices.ContainsFunc(w.Agents, func(a *Agent) bool { return a.Started != "" })
}

// running reports whether one of its agents was started, has not ended and has no commit
// yet: orchestrators that do not report the end of an agent do report commits.
func (w *Wave) running() bool {
	return !w.OnMain && slices.ContainsFunc(w.scoped(), func(a *Agent) bool { return a.Started != "" && a.Ended == "" })
}

// blocking returns the agents whose status blocks the wave (E7).
func (w *Wave) blocking() []*Agent {
	var out []*Agent
	for _, a := range w.scoped() {
		if a.Status != "" && a.Status != statusComplete {
			out = append(out, a)
		}
	}
	return out
}

// once returns true the first time it is called with a key in this attempt at the wave.
func (w *Wave) once(key string) bool {
	if slices.Contains(w.Reported, key) || len(w.Reported) >= maxReported {
		return false
	}
	w.Reported = append(w.Reported, key)
	return true
}

// maxReported bounds the keys recorded in one attempt at a wave.
const maxReported = 300

// restart resets an attempt whose work is discarded; the plan is kept.
func (w *Wave) restart() {
	w.relaunch()
	w.Onto, w.Dirty, w.Reported = nil, nil, nil
	w.Merged, w.Verified, w.Unverified, w.Parallel, w.OnMain = false, false, false, false, false
	for _, a := range w.Agents {
		*a = Agent{Letter: a.Letter, Owns: a.Owns, Descoped: a.Descoped, Worktree: a.Worktree, Stated: -1}
	}
}

// relaunch makes the wave ask for its gates again.
func (w *Wave) relaunch() {
	w.Started, w.LaunchAllowed, w.MergeAllowed = false, false, false
	w.LaunchDenied, w.CreationDenied, w.MergeDenied, w.MergeWithdrawn = "", "", "", false
}

// forget drops what is no longer needed once a wave is verified.
func (w *Wave) forget() {
	for _, a := range w.Agents {
		a.Owns, a.Files, a.Shas = nil, nil, nil
	}
}
