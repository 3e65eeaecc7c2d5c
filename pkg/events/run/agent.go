package run

import (
	"encoding/json"
	"strings"
)

// Severity grades a finding. It is read in any case; WorkRail's critical and
// major are CRITICAL, minor is WARNING, nit is INFO.
type Severity string

// Severities.
const (
	SeverityCritical Severity = "CRITICAL"
	SeverityWarning  Severity = "WARNING"
	SeverityInfo     Severity = "INFO"
)

// UnmarshalJSON reads a severity in the contract's words or in WorkRail's; any other word
// is kept for validation to report.
func (s *Severity) UnmarshalJSON(b []byte) error {
	var word string
	if err := json.Unmarshal(b, &word); err != nil {
		return err
	}
	switch upper := strings.ToUpper(strings.TrimSpace(word)); upper {
	case "CRITICAL", "MAJOR":
		*s = SeverityCritical
	case "WARNING", "MINOR":
		*s = SeverityWarning
	case "INFO", "NIT":
		*s = SeverityInfo
	default:
		*s = Severity(word)
	}
	return nil
}

// Finding is one result of a review or an agent's work.
type Finding struct {
	ID       string   `json:"id,omitempty"`
	Severity Severity `json:"severity,omitempty" jsonschema:"example=CRITICAL,example=WARNING,example=INFO"`
	Category string   `json:"category,omitempty"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"` // from 1; 0 unknown
	Text     string   `json:"text,omitempty"`
	Fix      string   `json:"fix,omitempty"`   // what to do about it
	Repro    string   `json:"repro,omitempty"` // steps that reproduce it
	// RequiresCompromised reports whether the finding requires a system that is already
	// compromised (RW-4).
	RequiresCompromised bool   `json:"requires_compromised,omitempty"`
	InChangeset         *bool  `json:"in_changeset,omitempty"` // absent: unknown
	State               string `json:"state,omitempty" jsonschema:"example=open,example=fixed,example=deferred"`
}

// AgentSpawned declares an agent before it runs and asks for the gate spawn (PL-20).
type AgentSpawned struct {
	Actor            Actor    `json:"actor"`
	AgentID          string   `json:"agent_id"`
	Archetype        string   `json:"archetype,omitempty"` // explorer, creator, maker, guardian, skeptic, trickster, sage
	Role             string   `json:"role,omitempty"`      // e.g. challenger, adversarial, evaluator
	Mode             string   `json:"mode,omitempty" jsonschema:"example=full,example=task-only,example=blind,example=custom"`
	DeclaredInputs   []string `json:"declared_inputs,omitempty"`
	RequiredKeys     []string `json:"required_keys,omitempty"`
	ContextKeys      []string `json:"context_keys,omitempty"` // what it actually receives
	Include          []string `json:"include,omitempty"`      // with mode custom
	Exclude          []string `json:"exclude,omitempty"`
	ModelFamily      string   `json:"model_family,omitempty"`
	MaxTurns         int      `json:"max_turns,omitempty"`
	MaxSubagentDepth int      `json:"max_subagent_depth,omitempty"`
	Lessons          Tally    `json:"lessons,omitempty"`        // lessons in its prompt (RW-22)
	PromptTokens     int      `json:"prompt_tokens,omitempty"`  // RW-22
	ContextWindow    int      `json:"context_window,omitempty"` // tokens
}

// Tally is a count; a publisher may send a list instead.
type Tally int

// UnmarshalJSON reads a number, or the length of a list.
func (n *Tally) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return json.Unmarshal(b, (*int)(n))
	}
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*n = Tally(len(list))
	return nil
}

// AgentStarted reports that a wave agent runs, and where (WP-7).
type AgentStarted struct {
	Actor     Actor  `json:"actor"`
	AgentID   string `json:"agent_id,omitempty"`
	Session   string `json:"session,omitempty"`
	Wave      int    `json:"wave"`             // from 1
	Letter    string `json:"letter,omitempty"` // one capital letter
	CWD       string `json:"cwd,omitempty"`
	Branch    string `json:"branch,omitempty"`
	Isolation string `json:"isolation,omitempty"` // worktree, none, …
}

// Ways an agent or task can end.
const (
	RunOutcomeSuccess = "success"
	RunOutcomeFailure = "failure"
	RunOutcomeTimeout = "timeout"
)

// AgentCompleted reports that an agent ended, with its outcome.
type AgentCompleted struct {
	Actor        Actor     `json:"actor"`
	AgentID      string    `json:"agent_id"`
	Archetype    string    `json:"archetype,omitempty"`
	Session      string    `json:"session,omitempty"`
	Phase        string    `json:"phase,omitempty"`
	Cycle        int       `json:"cycle,omitempty"`
	Task         string    `json:"task,omitempty"`
	Outcome      string    `json:"outcome" jsonschema:"example=success,example=failure,example=timeout"`
	Status       string    `json:"status,omitempty" jsonschema:"example=complete,example=partial,example=blocked"`
	Output       string    `json:"output,omitempty"`
	Findings     []Finding `json:"findings,omitempty"`
	Verdict      string    `json:"verdict,omitempty"` // as in review.completed
	FilesChanged []string  `json:"files_changed,omitempty"`
	FilesCreated []string  `json:"files_created,omitempty"`
	DiffLines    *int      `json:"diff_lines,omitempty"`
	Commits      *int      `json:"commits,omitempty"` // the number of commits
	Commit       string    `json:"commit,omitempty"`  // sha, or "uncommitted" (WP-15)
	TestsRun     *bool     `json:"tests_run,omitempty"`
	Addresses    []string  `json:"addresses,omitempty"` // ids of the findings it worked on (RW-12)
	DurationMS   int64     `json:"duration_ms,omitempty"`
	Wave         int       `json:"wave,omitempty"`
	Letter       string    `json:"letter,omitempty"`
}

// AgentDescoped removes an agent from its wave (WP-1); an operator's act.
type AgentDescoped struct {
	Actor  Actor  `json:"actor"`
	Wave   int    `json:"wave"`
	Letter string `json:"letter"`
	By     string `json:"by,omitempty"`
	Why    string `json:"why,omitempty"`
}

// TaskCompleted ends a task.
type TaskCompleted struct {
	Actor   Actor    `json:"actor"`
	Task    string   `json:"task"`
	Outcome string   `json:"outcome" jsonschema:"example=success,example=failure,example=timeout"`
	Quality *float64 `json:"quality,omitempty"` // the publisher's score, higher is better (RW-20)
}

// CycleCompleted ends a plan-do-check cycle.
type CycleCompleted struct {
	Actor            Actor     `json:"actor"`
	Cycle            int       `json:"cycle"` // from 1
	Findings         []Finding `json:"findings,omitempty"`
	ConvergenceScore *float64  `json:"convergence_score,omitempty"` // 0–1 (RW-31)
	Decision         string    `json:"decision,omitempty" jsonschema:"example=continue,example=stop"`
	Checked          TextList  `json:"checked,omitempty"`  // what a clean stop checked (PL-8)
	Residual         TextList  `json:"residual,omitempty"` // what remains open at the limit (PL-8)
	LimitReached     bool      `json:"limit_reached,omitempty"`
}

// ProposalPublished is the plan that the maker is measured against (RW-2, RW-3, RW-16).
type ProposalPublished struct {
	Actor        Actor    `json:"actor"`
	Files        []string `json:"files,omitempty"`
	Abstractions *int     `json:"abstractions,omitempty"`
	Packages     *int     `json:"packages,omitempty"`
	Words        *int     `json:"words,omitempty"`
	TaskWords    *int     `json:"task_words,omitempty"`
}

// ChecklistItem is one point of a review checklist (PL-41).
type ChecklistItem struct {
	Item   string `json:"item"`
	Result string `json:"result,omitempty" jsonschema:"example=passed,example=failed,example=unverifiable"` // absent: not reported
}

// ReviewCompleted is one review. A reviewer's review in one cycle counts once, whether it
// was sent here or in agent.completed.verdict.
type ReviewCompleted struct {
	Actor      Actor           `json:"actor"`
	Reviewer   string          `json:"reviewer"`
	Cycle      int             `json:"cycle,omitempty"`
	Verdict    string          `json:"verdict" jsonschema:"example=approved,example=rejected,example=clean,example=minor,example=blocking"`
	Findings   []Finding       `json:"findings,omitempty"`
	Checklist  []ChecklistItem `json:"checklist,omitempty"`
	StartedAt  string          `json:"started_at,omitempty"` // RFC 3339
	DurationMS int64           `json:"duration_ms,omitempty"`
}
