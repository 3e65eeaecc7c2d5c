package session

// LedgerChange holds what a turn adds to the session's ledger of done (PD-1). A repeated
// claim is a new claim: the latest of a kind counts.
type LedgerChange struct {
	Claims []Claim     `json:"claims,omitempty"`
	Checks []LedgerRun `json:"checks,omitempty"`
	// Mutations counts effective edits and writes of files by kind: code, tests, documents, settings.
	Mutations map[MutationKind]int `json:"mutations,omitempty"`
	// Paths are the files changed, at most 20.
	Paths    []string  `json:"paths,omitempty"`
	Promises []Promise `json:"promises,omitempty"`
	// Evicted counts the entries dropped from the ledger so far because it was full.
	Evicted int `json:"evicted,omitempty"`
}

// MutationKind is the kind of a changed file.
type MutationKind string

// Kinds of changed files.
const (
	MutationCode      MutationKind = "code"
	MutationTests     MutationKind = "tests"
	MutationDocuments MutationKind = "documents" // documents, and edits that change only comments
	MutationSettings  MutationKind = "settings"
)

// LedgerRun is a check with the command line that made it.
type LedgerRun struct {
	Check
	Turn    int    `json:"turn"`
	Segment int    `json:"segment"`
	Command string `json:"command,omitempty"` // shortened
}

// ClaimKind is what a claim states, which determines the checks that can prove it (PD-2).
type ClaimKind string

// Kinds of claims.
const (
	ClaimTests    ClaimKind = "tests"    // tests pass
	ClaimBuild    ClaimKind = "build"    // it compiles
	ClaimLint     ClaimKind = "lint"     // linters and type checkers report nothing
	ClaimWorks    ClaimKind = "works"    // fixed, works, verified
	ClaimDone     ClaimKind = "done"     // complete, implemented, ready
	ClaimDeployed ClaimKind = "deployed" // runs somewhere
	ClaimCause    ClaimKind = "cause"    // the root cause is
	ClaimExcuse   ClaimKind = "excuse"   // the failure has another cause: flaky, older, stale
	ClaimTodo     ClaimKind = "todo"     // an entry of the primary's list is checked off
	// Claims of acts and states, each with evidence of its own (JD-13).
	ClaimCreated     ClaimKind = "created"      // a file was written
	ClaimDeleted     ClaimKind = "deleted"      // a file was deleted
	ClaimMoved       ClaimKind = "moved"        // a file was moved
	ClaimCommitted   ClaimKind = "committed"    // a commit was made
	ClaimPushed      ClaimKind = "pushed"       // commits were pushed
	ClaimPullRequest ClaimKind = "pull_request" // a pull or merge request was opened
	ClaimTagged      ClaimKind = "tagged"       // a tag was made
	ClaimInstalled   ClaimKind = "installed"    // packages were installed
	ClaimApplied     ClaimKind = "applied"      // migrations were applied
	ClaimVariable    ClaimKind = "variable"     // a settings file has a key
	ClaimEndpoint    ClaimKind = "endpoint"     // an address responds
)

// Verdict is the ledger's conclusion about a claim (PD-2).
type Verdict string

// Verdicts, worst first.
const (
	Contradicted Verdict = "contradicted"
	Unproven     Verdict = "unproven"
	NotCheckable Verdict = "not_checkable"
	Proven       Verdict = "proven"
)

// Claim is a sentence of the primary which states that something is done, or an act that
// implies it.
type Claim struct {
	Kind    ClaimKind `json:"kind" jsonschema:"enum=tests,enum=build,enum=lint,enum=works,enum=done,enum=deployed,enum=cause,enum=excuse,enum=todo,enum=created,enum=deleted,enum=moved,enum=committed,enum=pushed,enum=pull_request,enum=tagged,enum=installed,enum=applied,enum=variable,enum=endpoint"`
	Turn    int       `json:"turn"`
	Segment int       `json:"segment"`
	Offset  int       `json:"offset,omitempty"` // bytes into the segment's text
	Length  int       `json:"length,omitempty"`
	Text    string    `json:"text"` // the clause, shortened
	// Subjects are the files, variables or addresses that the claim names (JD-10).
	Subjects []string `json:"subjects,omitempty"`
	Broad    bool     `json:"broad,omitempty"` // it claims this about everything
	Final    bool     `json:"final,omitempty"` // nothing follows: it ends the response, the commit or the session
	Verdict  Verdict  `json:"verdict" jsonschema:"enum=contradicted,enum=unproven,enum=not_checkable,enum=proven"`
	// Gap names in one word why a claim is not proven: none, narrow, cut, nothing,
	// failed, trouble …
	Gap string `json:"gap,omitempty"`
	Why string `json:"why"` // one sentence
	// By is the check that decided, if any.
	By *LedgerRun `json:"by,omitempty"`
	// Show is a command that would prove the claim, if one is known.
	Show string `json:"show,omitempty"`
}

// PromiseSource is the origin of a promise.
type PromiseSource string

// Sources of promises.
const (
	PromiseTask PromiseSource = "task" // a criterion or a numbered request of the person
	PromiseTodo PromiseSource = "todo" // an entry of the primary's own list
)

// Promise is something that remains to be done, as far as is known.
type Promise struct {
	Source PromiseSource `json:"source" jsonschema:"enum=task,enum=todo"`
	Text   string        `json:"text"` // shortened
	Turn   int           `json:"turn"` // of its first mention
	// Status is a todo's status in its list; a request is completed once the session has
	// acted on it.
	Status TodoStatus `json:"status" jsonschema:"enum=pending,enum=in_progress,enum=completed,enum=cancelled"`
}
