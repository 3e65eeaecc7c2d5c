package session

// WorkspaceObserved is the state of a session's workspace once a response was complete
// (JD-20): states of paths and of Git, and whether keys are set; never contents or
// values. The observer runs nothing of the project and writes nothing.
type WorkspaceObserved struct {
	Session string `json:"session"`
	Run     string `json:"run,omitempty"`
	// Turn is the completed turn, from 1; 0 means the next response in the record, once
	// all its calls had returned.
	Turn int `json:"turn,omitempty"`
	// Asked are the questions: paths, status, commit, unpushed, keys.
	Asked []ObservedQuestion `json:"asked" jsonschema:"enum=paths,enum=status,enum=commit,enum=unpushed,enum=keys"`
	// Paths are the answers about files, at most 40; paths in the workspace are relative
	// to it.
	Paths  []ObservedPath `json:"paths,omitempty"`
	Commit string         `json:"commit,omitempty"` // the commit that is checked out
	// Unpushed counts the commits that are on no known remote; absent if unknown.
	Unpushed *int          `json:"unpushed,omitempty"`
	Keys     []ObservedKey `json:"keys,omitempty"`
}

// ObservedQuestion is a question about a workspace.
type ObservedQuestion string

// Questions. A question in Asked without an answer was not answered in time.
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
	// Tracked reports whether Git has the path in its index; Changed, whether it differs
	// from the commit or Git does not have it. Both are absent if Git was not asked or
	// ignores the path.
	Tracked *bool `json:"tracked,omitempty"`
	Changed *bool `json:"changed,omitempty"`
}

// ObservedKey reports whether a file sets a key, but never its value.
type ObservedKey struct {
	Path string `json:"path"`
	Key  string `json:"key"`
	Set  bool   `json:"set"`
}

// CheckObserved is the receipt of a check that a person or the configuration requested
// (JD-21): the project's own command, run in a clean process in the workspace.
type CheckObserved struct {
	Session   string `json:"session"` // the session whose claims it checks
	Run       string `json:"run,omitempty"`
	Workspace string `json:"workspace,omitempty"`
	// Turn is the last turn known when the check ran.
	Turn    int    `json:"turn,omitempty"`
	Command string `json:"command"`
	// From is where the project defines the command: "package.json", "Makefile", "the
	// configuration".
	From string `json:"from"`
	// Check is the result according to output and exit code.
	Check    Check  `json:"check"`
	ExitCode int    `json:"exit_code"`
	Summary  string `json:"summary"` // the last lines of the output, shortened and redacted
	Duration int64  `json:"duration_ms"`
	// Tree is the digest of the tree it ran on: Git's digest of the commit with the
	// uncommitted changes.
	Tree string `json:"tree"`
	At   string `json:"at,omitempty"` // the commit, if it ran in a separate worktree
	// Later reports whether the workspace changed after the response that made the
	// claims.
	Later bool `json:"later,omitempty"`
	// Expired reports whether the check exceeded its time limit; the result is then
	// unknown.
	Expired bool   `json:"expired,omitempty"`
	By      string `json:"by,omitempty"` // who requested it, or ByConfiguration
}

// ByConfiguration marks a check that ran after a response because the configuration requests it.
const ByConfiguration = "hooks.run_checks"
