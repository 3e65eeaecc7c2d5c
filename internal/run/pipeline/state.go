package pipeline

import (
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State is what the layer knows of a group: of a run, or of a workspace where runs
// learn of each other. Its zero value knows nothing and costs nothing. [Kept]
// bounds all lists.
type State struct {
	Run       *Run       `json:"run,omitempty"`
	Workspace *Workspace `json:"workspace,omitempty"`
}

// Run is what is known of one run.
type Run struct {
	// On is set once the run shows that it is a pipeline.
	On        bool   `json:"on,omitempty"`
	Over      bool   `json:"over,omitempty"`
	Kind      string `json:"kind,omitempty"`
	OnPartial string `json:"on_partial,omitempty"`
	// Workspace is the group of the workspace; Announced is the run.started that it
	// knows as in progress, and Ends are those that it knew (PL-10).
	Workspace string   `json:"workspace,omitempty"`
	Started   string   `json:"started,omitempty"` // id of run.started
	Announced string   `json:"announced,omitempty"`
	Ends      []RunEnd `json:"ends,omitempty"`
	// Asking: a question to a person is open (PL-36).
	Asking bool `json:"asking,omitempty"`
	// OwnWorktree: the run declares a worktree (PL-6).
	OwnWorktree bool `json:"own_worktree,omitempty"`
	// Asked is what people asked for, in lower case; Proposed the files of the plan.
	Asked    string   `json:"asked,omitempty"`
	Proposed []string `json:"proposed,omitempty"`

	Contracts []Contract  `json:"contracts,omitempty"` // registered by events (PL-5)
	Open      []Phase     `json:"open,omitempty"`      // phases at work
	Done      []DonePhase `json:"done,omitempty"`      // phases that handed something over (PL-10)
	Last      *Handed     `json:"last,omitempty"`      // by the phase completed last
	Emitted   []string    `json:"emitted,omitempty"`   // kinds that the current workflow emitted (PL-7)
	Unsaved   *Unsaved    `json:"unsaved,omitempty"`   // PL-10
	Resumed   *Resumption `json:"resumed,omitempty"`   // PL-10

	Degraded    []Degradation  `json:"degraded,omitempty"`   // PL-3
	Leftovers   []Leftover     `json:"leftovers,omitempty"`  // PL-8
	Sessions    []Session      `json:"sessions,omitempty"`   // PL-10
	Agents      []Agent        `json:"agents,omitempty"`     // PL-20
	Judged      []Evaluation   `json:"judged,omitempty"`     // PL-20
	Reviewers   []run.Reviewer `json:"reviewers,omitempty"`  // of those judgements
	Scopes      []ScopeResult  `json:"scopes,omitempty"`     // PL-40
	OpenItems   *OpenItems     `json:"open_items,omitempty"` // PL-40
	CreepSeen   []Creep        `json:"creep_seen,omitempty"` // PL-40
	Items       []Item         `json:"items,omitempty"`      // PL-41
	PlanEdits   []string       `json:"plan_edits,omitempty"` // PL-42: reported in the current phase
	compilation compilation    // of Contracts, built when needed
}

// RunEnd is when what a run.started began was over.
type RunEnd struct {
	Started string    `json:"started"`
	At      time.Time `json:"at"`
}

// Phase is a phase at work.
type Phase struct {
	Name     string   `json:"name"`
	Workflow string   `json:"workflow,omitempty"`
	Contract string   `json:"contract,omitempty"`
	Cycle    int      `json:"cycle,omitempty"`
	Attempt  int      `json:"attempt,omitempty"`
	Event    string   `json:"event"`
	Denied   bool     `json:"denied,omitempty"`  // it began without an allow
	Failed   string   `json:"failed,omitempty"`  // event of its agent that failed, while none succeeded (PL-1)
	Outcome  string   `json:"outcome,omitempty"` // of that agent
	Worked   bool     `json:"worked,omitempty"`  // an agent of it succeeded
	Slices   []string `json:"slices,omitempty"`  // finished in it (PL-42)
	Warned   bool     `json:"warned,omitempty"`  // of more than one slice
	Asked    bool     `json:"asked,omitempty"`   // a subagent without a hypothesis (PL-20)
}

// DonePhase is a phase that need not be done again.
type DonePhase struct {
	Name  string `json:"name"`
	Cycle int    `json:"cycle,omitempty"`
}

// Handed is what a phase handed over.
type Handed struct {
	Phase    string                    `json:"phase"`
	Workflow string                    `json:"workflow,omitempty"`
	Contract string                    `json:"contract,omitempty"`
	Cycle    int                       `json:"cycle,omitempty"`
	Quality  runevents.HandoverQuality `json:"quality"`
	Lacks    string                    `json:"lacks,omitempty"` // why it is not full, for people
	Tries    int                       `json:"tries"`           // how often the phase ended without a full one
	Event    string                    `json:"event"`
	Waived   string                    `json:"waived,omitempty"` // who let the run go on nevertheless
	// Ended: its workflow ended with it, which was judged (PL-7).
	Ended bool `json:"ended,omitempty"`
}

// Unsaved is a context that could not be kept (PL-10).
type Unsaved struct {
	Phase string `json:"phase,omitempty"`
	Why   string `json:"why,omitempty"`
	Event string `json:"event"`
}

// Resumption is the last run.resumed that counts.
type Resumption struct {
	Event    string      `json:"event"`
	Prior    string      `json:"prior,omitempty"`
	Restored []string    `json:"restored,omitempty"` // names, as the resume gives them
	Done     []DonePhase `json:"done,omitempty"`     // phases of this run done before it
}

// Session is a session of a run that is at work.
type Session struct {
	ID       string `json:"id"`
	Agent    string `json:"agent,omitempty"`
	Finished bool   `json:"finished,omitempty"` // a phase, and silent since
	Resting  bool   `json:"resting,omitempty"`  // it gave way to another, or ended: silence means nothing
	Activity int    `json:"activity"`           // counts turns
	Progress string `json:"progress,omitempty"` // why it is worth resuming
	Event    string `json:"event"`              // id of its last turn
	// Heard is when its last turn was recorded; only timers go by it.
	LastSeen time.Time `json:"heard"`
	Timed    bool      `json:"timed,omitempty"` // a timer is set
}

// Agent is a subagent as it was declared.
type Agent struct {
	ID     string   `json:"id"`
	Role   string   `json:"role,omitempty"`
	Mode   string   `json:"mode,omitempty"`
	Event  string   `json:"event"`
	Denied bool     `json:"denied,omitempty"`
	Read   []string `json:"read,omitempty"` // artifacts that it read though it is blind
}

// Creep is a file that one source called out of scope (PL-40).
type Creep struct {
	Path     string `json:"path"`
	Event    string `json:"event"`
	Source   string `json:"source"` // detector, or scope.checked
	Reported bool   `json:"told,omitempty"`
}

// Item is an item of a review checklist (PL-41).
type Item struct {
	Item     string   `json:"item"`
	From     []string `json:"from,omitempty"` // reviewers who reported it
	Shaped   bool     `json:"shaped,omitempty"`
	Reported bool     `json:"told,omitempty"` // that nobody reported it
	FailedBy string   `json:"failed_by,omitempty"`
	Cycle    int      `json:"cycle,omitempty"` // of the last report
	Event    string   `json:"event,omitempty"`
}
