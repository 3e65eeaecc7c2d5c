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

	Started        bool   `json:"started,omitempty"` // wave.started came
	LaunchAllowed  bool   `json:"launch_allowed,omitempty"`
	LaunchDenied   string `json:"launch_denied,omitempty"` // the rule
	CreationDenied string `json:"creation_denied,omitempty"`
	MergeAllowed   bool   `json:"merge_allowed,omitempty"`
	MergeDenied    string `json:"merge_denied,omitempty"`
	MergeWithdrawn bool   `json:"merge_withdrawn,omitempty"` // allowed, then shown to merge nothing
	Merged         bool   `json:"merged,omitempty"`
	Verified       bool   `json:"verified,omitempty"`
	Unverified     bool   `json:"unverified,omitempty"` // the verification failed

	Parallel bool `json:"parallel,omitempty"` // two agents ran at once (E1)
	// Tainted is an isolation failure that an operator accepted; it stays (WP-16).
	Tainted     bool `json:"tainted,omitempty"`
	TaintNoted  bool `json:"taint_noted,omitempty"`
	TaintTested bool `json:"taint_tested,omitempty"`

	OnMain   bool                  `json:"on_main,omitempty"` // somebody else than the orchestrator committed to main (WP-13)
	Dirty    []runevents.Reference `json:"dirty,omitempty"`   // uncommitted on main, as last counted
	Onto     []runevents.Reference `json:"onto,omitempty"`    // commits to main while it ran
	Reported []string              `json:"told,omitempty"`    // what is reported once
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

	Commits int      `json:"commits,omitempty"` // as infrastructure reports
	Shas    []string `json:"shas,omitempty"`
	// Stated is how many commits the agent says it made, -1 where it does not say.
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
	Stale   bool   `json:"stale,omitempty"` // contracts changed since: it must be created again (WP-11)
}

// Changed is a file that an agent changed or created.
type Changed struct {
	Path  string `json:"path"`
	Blob  string `json:"blob,omitempty"` // its content's id, where infrastructure gives it
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

// endings say for people how an agent ended that did not complete.
var endings = map[string]string{
	statusPartial: "did only a part of its work",
	statusBlocked: "is blocked",
	statusFailed:  "failed",
	statusTimeout: "timed out",
}

// agent is an agent by its letter, nil if it is not known.
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

// waveWith is the wave that an event about an agent speaks of where it need not
// give the number: the current one if the agent is in it, else the latest that has
// the agent.
func (s *State) waveWith(number int, letter string) *Wave {
	if number != 0 {
		return s.wave(number)
	}
	current := s.wave(s.Current)
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

// needAgent is an agent by its letter, made if there is room; nil without a
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

// capital is an agent's letter in the one form it has in names (E5).
func capital(letter string) string {
	if len(letter) == 1 || len(letter) == 2 && letter[1] >= '2' && letter[1] <= '9' {
		return strings.ToUpper(letter)
	}
	return letter
}

// maxLetter is the length of what may stand for an agent's capital letter.
const maxLetter = 16

// scoped are the agents that nobody descoped.
func (w *Wave) scoped() []*Agent {
	var out []*Agent
	for _, a := range w.Agents {
		if !a.Descoped {
			out = append(out, a)
		}
	}
	return out
}

// solo reports a wave of one agent on main (WP-13).
func (w *Wave) solo() bool {
	agents := w.scoped()
	return len(agents) == 1 && !w.hasWorktree() && (w.Planned || agents[0].Isolation != isolationWorktree)
}

// parallel reports a wave of two or more agents (WP-7).
func (w *Wave) parallel() bool { return len(w.scoped()) >= 2 }

// hasWorktree reports that a worktree was made for the wave.
func (w *Wave) hasWorktree() bool {
	return slices.ContainsFunc(w.Agents, func(a *Agent) bool { return a.Worktree != nil })
}

// launched reports that one of its agents runs or ran.
func (w *Wave) launched() bool {
	return slices.ContainsFunc(w.Agents, func(a *Agent) bool { return a.Started != "" })
}

// running reports that one of its agents was started, has not ended and nothing of
// it was committed: orchestrators that do not report the end of an agent report that.
func (w *Wave) running() bool {
	return !w.OnMain && slices.ContainsFunc(w.scoped(), func(a *Agent) bool { return a.Started != "" && a.Ended == "" })
}

// blocking are the agents whose status blocks the wave (E7).
func (w *Wave) blocking() []*Agent {
	var out []*Agent
	for _, a := range w.scoped() {
		if a.Status != "" && a.Status != statusComplete {
			out = append(out, a)
		}
	}
	return out
}

// once reports true the first time for a key, in this attempt at the wave.
func (w *Wave) once(key string) bool {
	if slices.Contains(w.Reported, key) || len(w.Reported) >= maxReported {
		return false
	}
	w.Reported = append(w.Reported, key)
	return true
}

// maxReported bounds what one attempt at a wave reports once.
const maxReported = 300

// restart forgets an attempt whose work is discarded; the plan stays.
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

// forget drops what is not needed once a wave is verified.
func (w *Wave) forget() {
	for _, a := range w.Agents {
		a.Owns, a.Files, a.Shas = nil, nil, nil
	}
}
