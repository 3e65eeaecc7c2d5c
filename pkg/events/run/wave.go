package run

// Scaffold is a shared interface file that the scout asks for.
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

// ContractChanged says interface contracts changed (WP-11).
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
	CompileOK *bool    `json:"compile_ok,omitempty"` // absent: not said
	Reason    string   `json:"reason,omitempty"`
}

// ScaffoldStarted says the scaffold agent began.
type ScaffoldStarted ScaffoldChanged

// ScaffoldCommitted says the scaffold files are committed.
type ScaffoldCommitted ScaffoldChanged

// ScaffoldFailed says the scaffold could not be made.
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

// WaveBranch is an agent's branch as the requester of a merge counts it.
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
	// UncommittedOnMain are files changed on main and not committed at that moment.
	UncommittedOnMain []string `json:"uncommitted_on_main,omitempty"`
}

// GateRequested asks ahead what a gate would answer; it changes nothing else.
// Which fields it needs depends on the gate.
type GateRequested struct {
	Actor  Actor         `json:"actor"`
	Gate   Gate          `json:"gate" jsonschema:"enum=launch,enum=worktrees,enum=merge,enum=next_phase,enum=spawn"`
	Wave   int           `json:"wave,omitempty"`   // launch, worktrees, merge
	Base   string        `json:"base,omitempty"`   // merge
	Agents []WaveBranch  `json:"agents,omitempty"` // merge: as the requester counts
	Phase  string        `json:"phase,omitempty"`  // next_phase: the one to start
	Agent  *AgentSpawned `json:"agent,omitempty"`  // spawn
}

// WaveMerged says a wave was merged (WP-3).
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

// WorktreeRemoved says a worktree is gone.
type WorktreeRemoved WorktreeChanged

// HookChanged is the data of hook.installed and hook.removed (WP-18); each has
// its own Go type.
type HookChanged struct {
	Actor    Actor `json:"actor"`
	Backup   bool  `json:"backup,omitempty"`   // an existing hook was kept aside
	Restored bool  `json:"restored,omitempty"` // and put back
}

// HookInstalled says the pre-commit hook guards the repository.
type HookInstalled HookChanged

// HookRemoved says the pre-commit hook is gone.
type HookRemoved HookChanged

// Field0Checked is an agent's own check that it works in its worktree (WP-18).
type Field0Checked struct {
	Actor  Actor  `json:"actor"`
	Wave   int    `json:"wave,omitempty"`
	Letter string `json:"letter"`
	OK     bool   `json:"ok"`
}

// GitCommit is a commit as infrastructure saw it (WP-4).
type GitCommit struct {
	Actor     Actor    `json:"actor"`
	SHA       string   `json:"sha,omitempty"` // empty when the hook blocked it
	Branch    string   `json:"branch"`
	Main      bool     `json:"main,omitempty"` // the branch is the one that agents keep off, whatever its name
	Author    string   `json:"author,omitempty"`
	Letter    string   `json:"letter,omitempty"` // of the wave agent, where known
	Files     []string `json:"files,omitempty"`
	Blocked   bool     `json:"blocked,omitempty"`    // by the pre-commit hook
	AllowMain bool     `json:"allow_main,omitempty"` // SAW_ALLOW_MAIN_COMMIT=1 was set
	Purpose   string   `json:"purpose,omitempty"`    // scaffold, post_merge, lint_fix, …
	Message   string   `json:"message,omitempty"`
	// Blobs are the contents of files after the commit: path → git's blob id. Two
	// agents that make the same file alike break no ownership (WP-6).
	Blobs map[string]string `json:"blobs,omitempty"`
}

// BranchCount is one branch as infrastructure counts it.
type BranchCount struct {
	Branch  string `json:"branch"`
	Letter  string `json:"letter,omitempty"` // of the wave agent it belongs to
	Wave    int    `json:"wave,omitempty"`
	Commits int    `json:"commits"` // in base..branch
	Head    string `json:"head,omitempty"`
	Base    string `json:"base,omitempty"` // where this branch left main, if the branches have not one base
	// Files changed in base..branch.
	Files []string `json:"files,omitempty"`
}

// GitCounted is what the agents' branches hold at a moment, and what lies
// uncommitted on main (WP-1).
type GitCounted struct {
	Actor             Actor         `json:"actor"`
	Base              string        `json:"base,omitempty"` // sha that the branches are compared with
	Branches          []BranchCount `json:"branches"`
	UncommittedOnMain []string      `json:"uncommitted_on_main,omitempty"`
}

// GitMerge is a merge as infrastructure saw it (WP-2, WP-3).
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
