package run

// Scaffold is a shared interface file that the scout requires.
type Scaffold struct {
	File   string `json:"file"`
	Status string `json:"status,omitempty"` // pending, committed (sha), FAILED: …
}

// ScoutCompleted is the scout's verdict on a task (WP-9).
type ScoutCompleted struct {
	Actor     Actor      `json:"actor"`
	Verdict   string     `json:"verdict" jsonschema:"example=SUITABLE,example=SUITABLE WITH CAVEATS,example=NOT SUITABLE"`
	Scaffolds []Scaffold `json:"scaffolds,omitempty"`
	Waves     int        `json:"waves,omitempty"`
}

// PlanApproved is the review gate (WP-8); an operator's act.
type PlanApproved struct {
	Actor Actor  `json:"actor"`
	By    string `json:"by,omitempty"`
	Why   string `json:"why,omitempty"`
}

// ContractChanged reports that interface contracts changed (WP-11).
type ContractChanged struct {
	Actor Actor    `json:"actor"`
	Files []string `json:"files,omitempty"`
}

// ScaffoldChanged is the data of scaffold.started, scaffold.committed and
// scaffold.failed (WP-9, WP-10); each has its own Go type.
type ScaffoldChanged struct {
	Actor     Actor    `json:"actor"`
	Wave      int      `json:"wave,omitempty"`
	Files     []string `json:"files,omitempty"`
	SHA       string   `json:"sha,omitempty"`
	CompileOK *bool    `json:"compile_ok,omitempty"` // absent: unknown
	Reason    string   `json:"reason,omitempty"`
}

// ScaffoldStarted reports that the scaffold agent started.
type ScaffoldStarted ScaffoldChanged

// ScaffoldCommitted reports that the scaffold files are committed.
type ScaffoldCommitted ScaffoldChanged

// ScaffoldFailed reports that the scaffold could not be built.
type ScaffoldFailed ScaffoldChanged

// WaveAgent is one agent of a planned wave with the files it owns (I1).
type WaveAgent struct {
	Letter string   `json:"letter"` // one capital letter
	Owns   []string `json:"owns,omitempty"`
}

// WavePlanned is the ownership table of a wave (WP-6).
type WavePlanned struct {
	Actor  Actor       `json:"actor"`
	Wave   int         `json:"wave"` // from 1
	Agents []WaveAgent `json:"agents"`
}

// WaveStarted launches a wave and asks for the gate launch.
type WaveStarted struct {
	Actor Actor `json:"actor"`
	Wave  int   `json:"wave"`
}

// WaveBranch is an agent's branch with the requester's count of its commits.
type WaveBranch struct {
	Letter      string `json:"letter"`
	Branch      string `json:"branch,omitempty"`
	CommitCount int    `json:"commit_count"`
}

// WaveMergeRequested asks for the gate merge: the trip wire (WP-1).
type WaveMergeRequested struct {
	Actor  Actor        `json:"actor"`
	Wave   int          `json:"wave"`
	Base   string       `json:"base,omitempty"` // sha or branch the agents started from
	Agents []WaveBranch `json:"agents,omitempty"`
	// UncommittedOnMain are the files on main with uncommitted changes at that moment.
	UncommittedOnMain []string `json:"uncommitted_on_main,omitempty"`
}

// GateRequested asks in advance what a gate would answer; it changes nothing else. Which
// fields it requires depends on the gate.
type GateRequested struct {
	Actor  Actor         `json:"actor"`
	Gate   Gate          `json:"gate" jsonschema:"enum=launch,enum=worktrees,enum=merge,enum=next_phase,enum=spawn"`
	Wave   int           `json:"wave,omitempty"`   // launch, worktrees, merge
	Base   string        `json:"base,omitempty"`   // merge
	Agents []WaveBranch  `json:"agents,omitempty"` // merge: as counted by the requester
	Phase  string        `json:"phase,omitempty"`  // next_phase: the phase to start
	Agent  *AgentSpawned `json:"agent,omitempty"`  // spawn
}

// WaveMerged reports that a wave was merged (WP-3).
type WaveMerged struct {
	Actor  Actor  `json:"actor"`
	Wave   int    `json:"wave"`
	Output string `json:"output,omitempty"` // of git merge
}

// WorktreeChanged is the data of worktree.created and worktree.removed (WP-5);
// each has its own Go type.
type WorktreeChanged struct {
	Actor  Actor  `json:"actor"`
	Path   string `json:"path"`
	Branch string `json:"branch,omitempty"`
	Wave   int    `json:"wave,omitempty"`
	Letter string `json:"letter,omitempty"`
}

// WorktreeCreated reports a new worktree and asks for the gate worktrees.
type WorktreeCreated WorktreeChanged

// WorktreeRemoved reports that a worktree was removed.
type WorktreeRemoved WorktreeChanged

// HookChanged is the data of hook.installed and hook.removed (WP-18); each has
// its own Go type.
type HookChanged struct {
	Actor    Actor `json:"actor"`
	Backup   bool  `json:"backup,omitempty"`   // an existing hook was saved
	Restored bool  `json:"restored,omitempty"` // and restored
}

// HookInstalled reports that the pre-commit hook guards the repository.
type HookInstalled HookChanged

// HookRemoved reports that the pre-commit hook was removed.
type HookRemoved HookChanged

// Field0Checked is an agent's own check that it works in its worktree (WP-18).
type Field0Checked struct {
	Actor  Actor  `json:"actor"`
	Wave   int    `json:"wave,omitempty"`
	Letter string `json:"letter"`
	OK     bool   `json:"ok"`
}

// GitCommit is a commit as observed by infrastructure (WP-4).
type GitCommit struct {
	Actor     Actor    `json:"actor"`
	SHA       string   `json:"sha,omitempty"` // empty when the hook blocked it
	Branch    string   `json:"branch"`
	Main      bool     `json:"main,omitempty"` // the branch is the protected one, whatever its name
	Author    string   `json:"author,omitempty"`
	Letter    string   `json:"letter,omitempty"` // of the wave agent, if known
	Files     []string `json:"files,omitempty"`
	Blocked   bool     `json:"blocked,omitempty"`    // by the pre-commit hook
	AllowMain bool     `json:"allow_main,omitempty"` // SAW_ALLOW_MAIN_COMMIT=1 was set
	Purpose   string   `json:"purpose,omitempty"`    // scaffold, post_merge, lint_fix, …
	Message   string   `json:"message,omitempty"`
	// Blobs are the contents of files after the commit: path → git's blob id. Two agents
	// that write identical contents to a file do not break ownership (WP-6).
	Blobs map[string]string `json:"blobs,omitempty"`
}

// BranchCount is one branch as counted by infrastructure.
type BranchCount struct {
	Branch  string `json:"branch"`
	Letter  string `json:"letter,omitempty"` // of the wave agent it belongs to
	Wave    int    `json:"wave,omitempty"`
	Commits int    `json:"commits"` // in base..branch
	Head    string `json:"head,omitempty"`
	Base    string `json:"base,omitempty"` // where this branch left main, if the branches have different bases
	// Files are the files changed in base..branch.
	Files []string `json:"files,omitempty"`
}

// GitCounted holds what the agents' branches contain at a moment, and what is uncommitted
// on main (WP-1).
type GitCounted struct {
	Actor             Actor         `json:"actor"`
	Base              string        `json:"base,omitempty"` // sha that the branches are compared with
	Branches          []BranchCount `json:"branches"`
	UncommittedOnMain []string      `json:"uncommitted_on_main,omitempty"`
}

// GitMerge is a merge as observed by infrastructure (WP-2, WP-3).
type GitMerge struct {
	Actor  Actor  `json:"actor"`
	Branch string `json:"branch"`
	Into   string `json:"into"`
	Output string `json:"output,omitempty"`
}

// RecoverySelected answers the trip wire (WP-2); an operator's act.
type RecoverySelected struct {
	Actor  Actor  `json:"actor"`
	Wave   int    `json:"wave"`
	Option int    `json:"option" jsonschema:"enum=1,enum=2,enum=3"` // 1 re-run, 2 investigate, 3 accept as is
	By     string `json:"by,omitempty"`
	Why    string `json:"why,omitempty"`
}
