package session

// WorkspaceObserved is what a look at a session's workspace showed once a response was complete
// (JD-20): states of paths and of Git, and whether keys are set; never a content or a value.
// Whoever looks runs nothing of the project and writes nothing.
type WorkspaceObserved struct {
	Session string `json:"session"`
	Run     string `json:"run,omitempty"`
	// Turn is the turn that was complete, from 1; 0: the response that comes next in the record,
	// whose calls had all returned.
	Turn int `json:"turn,omitempty"`
	// Asked are the questions: paths, status, commit, unpushed, keys.
	Asked []ObservedQuestion `json:"asked" jsonschema:"enum=paths,enum=status,enum=commit,enum=unpushed,enum=keys"`
	// Paths are answers about files, at most 40; those of the workspace are relative to it.
	Paths  []ObservedPath `json:"paths,omitempty"`
	Commit string         `json:"commit,omitempty"` // that is checked out
	// Unpushed counts commits that no remote is known to have; absent: not known.
	Unpushed *int          `json:"unpushed,omitempty"`
	Keys     []ObservedKey `json:"keys,omitempty"`
}

// ObservedQuestion is what was asked of a workspace.
type ObservedQuestion string

// Questions. A question that was asked and has no answer was not answered in time.
const (
	AskedPaths    ObservedQuestion = "paths"
	AskedStatus   ObservedQuestion = "status"
	AskedCommit   ObservedQuestion = "commit"
	AskedUnpushed ObservedQuestion = "unpushed"
	AskedKeys     ObservedQuestion = "keys"
)

// MaxObserved bounds the paths, and the keys, of one observation.
const MaxObserved = 40

// ObservedPath is the state of one path.
type ObservedPath struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	// Tracked: Git has it in its index; Changed: it differs from the commit, or Git does not have
	// it. Absent where Git was not asked or ignores the path.
	Tracked *bool `json:"tracked,omitempty"`
	Changed *bool `json:"changed,omitempty"`
}

// ObservedKey says whether a file sets a key, never to what.
type ObservedKey struct {
	Path string `json:"path"`
	Key  string `json:"key"`
	Set  bool   `json:"set"`
}

// CheckObserved is the receipt of a check that a person or the configuration asked for (JD-21): the project's own command,
// run in a clean process of the workspace.
type CheckObserved struct {
	Session   string `json:"session"` // whose claims it is about
	Run       string `json:"run,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	// Turn is the last turn that was known when it ran.
	Turn    int    `json:"turn,omitempty"`
	Command string `json:"command"`
	// From is where the project names the command: "package.json", "Makefile", "the configuration".
	From string `json:"from"`
	// Check is what its output and exit code say.
	Check    Check  `json:"check"`
	ExitCode int    `json:"exit_code"`
	Summary  string `json:"summary"` // the last lines of the output in short, redacted
	Duration int64  `json:"duration_ms"`
	// Tree is the digest of what it ran on: Git's of the commit, with the changes that are not committed.
	Tree string `json:"tree"`
	At   string `json:"at,omitempty"` // the commit, where it ran in a worktree of its own
	// Later: something changed in the workspace after the response that claims were made in.
	Later bool `json:"later,omitempty"`
	// Expired: it ran longer than it may; the result is unknown.
	Expired bool   `json:"expired,omitempty"`
	By      string `json:"by,omitempty"` // who asked, or ByConfiguration
}

// ByConfiguration says that a check ran after a response because the configuration asks for it.
const ByConfiguration = "hooks.run_checks"
