package session

// Check is one thing that a call checks: a test run, a build, a request (PD-1). A
// command line may hold several.
type Check struct {
	Kind   CheckKind `json:"kind" jsonschema:"enum=test,enum=build,enum=lint,enum=types,enum=run,enum=request"`
	Runner string    `json:"runner"` // "go test", "pytest", "jest" …; of a run its program, of a request its URL
	// Scope lists packages, folders and files as the command names them; an empty list
	// means everything.
	Scope []string `json:"scope,omitempty"`
	// Filters are the flags that narrow it, with their values: "-run TestX", "-k expr", "-tags fast".
	Filters []string    `json:"filters,omitempty"`
	Result  CheckResult `json:"result" jsonschema:"enum=passed,enum=failed,enum=nothing,enum=cut,enum=unknown"`
	// Passed, Failed and Skipped count tests, or problems of a linter, as the output states them.
	Passed  int `json:"passed,omitempty"`
	Failed  int `json:"failed,omitempty"`
	Skipped int `json:"skipped,omitempty"`
	// FailedNames are the names of failed tests, at most 20, redacted.
	FailedNames []string `json:"failed_names,omitempty"`
	Cached      bool     `json:"cached,omitempty"` // everything comes from a cache
	// Hides names what hides the result: "|| true", "| tail -5", "> /dev/null" (PD-2).
	Hides string `json:"hides,omitempty"`
}

// CheckKind is what a check can show.
type CheckKind string

// Kinds of checks.
const (
	CheckTest    CheckKind = "test"
	CheckBuild   CheckKind = "build"
	CheckLint    CheckKind = "lint"
	CheckTypes   CheckKind = "types"
	CheckRun     CheckKind = "run"     // of a program of the workspace
	CheckRequest CheckKind = "request" // to a running program
)

// CheckResult is the outcome of a check.
type CheckResult string

// Results of a check.
const (
	CheckPassed  CheckResult = "passed"
	CheckFailed  CheckResult = "failed"
	CheckNothing CheckResult = "nothing" // no test ran
	CheckCut     CheckResult = "cut"     // the part with the result was cut off
	CheckUnknown CheckResult = "unknown"
)
