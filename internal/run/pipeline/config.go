package pipeline

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "pipeline" of the rule data, with the built-in contracts.
type Config struct {
	Handover             Handover       `yaml:"handover"`
	Contracts            ContractRules  `yaml:"contracts"`
	Workflows            []Workflow     `yaml:"workflows"`
	WorkflowPrefix       string         `yaml:"workflow_prefix"`
	Phases               PhaseWords     `yaml:"phases"`
	Context              ContextLimits  `yaml:"context"`
	MissingContextPhrase MissingContext `yaml:"missing_context"`
	Recovery             Recovery       `yaml:"recovery"`
	Isolation            Isolation      `yaml:"isolation"`
	Checklist            []string       `yaml:"checklist"` // items that every review must report (PL-41)
	PlanPhase            PlanPhase      `yaml:"plan_phase"`
	Slices               SlicePatterns  `yaml:"slices"`
	Markdown             MarkdownRules  `yaml:"markdown"`
	PlanContents         PlanContents   `yaml:"plan_contents"`
	Kept                 Kept           `yaml:"kept"`
	builtin              registry       // contracts that every run knows (PL-6)
	hours                dispatchHours  // of the section "hours"
}

// Handover is PL-1 and PL-2.
type Handover struct {
	NotesAbove int    `yaml:"notes_above" range:"0..100000"` // trimmed characters
	OnPartial  string `yaml:"on_partial" allow:"proceed|escalate|retry_once"`
	// StepsWithoutContract is a pattern of phases that owe no handover.
	StepsWithoutContract *pattern.Regexp `yaml:"steps_without_contract"`
}

// ContractRules are what a JSON Schema cannot say; keys are contracts.
type ContractRules struct {
	UnlessOwnWorktree map[string][]string `yaml:"unless_own_worktree"`
	OnlyAfterFailure  map[string][]string `yaml:"only_after_failure"`
	// Newer are fields, by kind, that later upstream versions add (PL-6a).
	Newer map[string][]string `yaml:"newer"`
}

// Workflow is one whose last step must emit an artifact (PL-7).
type Workflow struct {
	ID    string   `yaml:"id"`
	Emits string   `yaml:"emits"`
	Last  []string `yaml:"last"` // words of the name of its last step
}

// PhaseWords are words of a phase's name.
type PhaseWords struct {
	Fix  []string `yaml:"fix"`
	Plan []string `yaml:"plan"`
}

// ContextLimits are PL-9; Cut and Dropped are statuses of sections.
type ContextLimits struct {
	MaxBytes int      `yaml:"max_bytes" range:"1..100000000"`
	Cut      []string `yaml:"cut"`
	Dropped  []string `yaml:"dropped"`
}

// MissingContext is how findings cite that context was missing (PL-3).
type MissingContext struct {
	Categories []string        `yaml:"categories"`
	Phrases    *pattern.Regexp `yaml:"phrases" pattern:"fold"`
}

// Recovery is PL-10.
type Recovery struct {
	SessionTTLMinutes  int `yaml:"session_ttl_minutes" range:"1..100000"`
	ForgetRunAfterDays int `yaml:"forget_run_after_days" range:"1..10000"`
}

// Isolation is PL-20; the lists hold roles and words of context keys.
type Isolation struct {
	BlindRoles            []string `yaml:"blind_roles"`
	Assumptions           []string `yaml:"assumptions"`
	AssumptionChallengers []string `yaml:"assumption_challengers"`
	Prior                 []string `yaml:"prior"`
	Tiers                 []string `yaml:"tiers"`
	Task                  []string `yaml:"task"`
	ReviewerRoles         []string `yaml:"reviewer_roles"`
	// SelfAssessment is what the coder thinks of its own work.
	SelfAssessment SelfAssessment `yaml:"self_assessment"`
}

// SelfAssessment are words of a context key: one of Alone, or one of Authors with
// one of Opinions.
type SelfAssessment struct {
	Alone    []string `yaml:"alone"`
	Authors  []string `yaml:"authors"`
	Opinions []string `yaml:"opinions"`
}

// PlanContents is what a plan covers (PL-38a).
type PlanContents struct {
	Phases    []string        `yaml:"phases"`
	Documents *pattern.Regexp `yaml:"documents"` // pattern of what names a document that holds the plan
	Parts     []struct {
		Name  string          `yaml:"name"`
		Words *pattern.Regexp `yaml:"words"`
	} `yaml:"parts"`
}

// PlanPhase is what may be written while a plan is made (PL-42).
type PlanPhase struct {
	Extensions []string `yaml:"extensions"`
	Folders    []string `yaml:"folders"`
	Documents  []string `yaml:"documents"`
}

// SlicePatterns find slices in names and notes (PL-42).
type SlicePatterns struct {
	Name    *pattern.Regexp `yaml:"name"`
	Several *pattern.Regexp `yaml:"several"`
	Done    []string        `yaml:"done"`
	NotDone []string        `yaml:"not_done"`
}

// MarkdownRules are PL-42: Asked are words of a task that ask for documents.
type MarkdownRules struct {
	Extensions []string `yaml:"extensions"`
	Asked      []string `yaml:"asked"`
}

// Kept bounds what a run remembers; the oldest is forgotten first, contracts
// beyond the bound are refused.
type Kept struct {
	Contracts     int `yaml:"contracts" range:"1..1000"`
	ContractBytes int `yaml:"contract_bytes" range:"1024..4194304"`
	Phases        int `yaml:"phases" range:"1..10000"`
	Agents        int `yaml:"agents" range:"1..10000"`
	Sessions      int `yaml:"sessions" range:"1..10000"`
	Files         int `yaml:"files" range:"1..10000"`
	Items         int `yaml:"items" range:"1..10000"`
	WorkspaceRuns int `yaml:"workspace_runs" range:"1..10000"`
	TextBytes     int `yaml:"text_bytes" range:"0..1000000"`
}

// LoadConfig reads and checks the data; an error names file, line and the cure.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("pipeline", &c); err != nil {
		return nil, fmt.Errorf("read pipeline configuration: %w", err)
	}
	if err := c.loadHours(set); err != nil {
		return nil, err
	}
	if err := c.registerBuiltins(); err != nil {
		return nil, fmt.Errorf("read built-in contracts: %w", err)
	}
	return &c, nil
}

// Validate refuses a name of slices without a group for their number.
func (c *Config) Validate() error {
	if c.Slices.Name.NumSubexp() < 1 {
		return &rules.Invalid{Path: []string{"slices", "name"}, Why: `the number of the slice must be a group: (\d+)`}
	}
	return nil
}
