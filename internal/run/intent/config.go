package intent

import (
	"fmt"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/ambiguity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "intent" of the rule data.
type Config struct {
	SubtypeAFailures    int           `yaml:"subtype_a_failures" range:"1..5"`
	Levels              Levels        `yaml:"levels"`
	AssumptionsOver     int           `yaml:"assumptions_over" range:"0..1000"`
	QuestionSpecificity float64       `yaml:"question_specificity" range:"0..1"`
	Entropy             Entropy       `yaml:"entropy"`
	StructuralTasks     []string      `yaml:"structural_tasks" allow:"targeted_fix|feature|refactor|architectural"`
	CouncilAlways       []string      `yaml:"council_always" allow:"targeted_fix|feature|refactor|architectural"`
	RivalTasks          []string      `yaml:"rival_tasks" allow:"targeted_fix|feature|refactor|architectural"`
	PlansAgree          []string      `yaml:"plans_agree"`
	Checkpoint          Turns         `yaml:"checkpoint"`
	Documents           []string      `yaml:"documents"`
	Council             Council       `yaml:"council"`
	Clarification       Clarification `yaml:"clarification"`
	Phases              Phases        `yaml:"phases"`
	Tier2               Tier2         `yaml:"tier2"`
	NotIncluded         []string      `yaml:"not_included"`
	Authority           [][]string    `yaml:"authority"`
	Dispositions        []string      `yaml:"dispositions"`
	MisreadCategories   []string      `yaml:"misread_categories"`
	Kept                Kept          `yaml:"kept"`

	analyzer *ambiguity.Analyzer
	seen     workhours.Window // when people can see a question
}

// Levels holds the numbers of structural signals required for each level (PL-31).
type Levels struct {
	Uncertain int `yaml:"uncertain" range:"1..1000"`
	Ambiguous int `yaml:"ambiguous" range:"1..1000"`
}

// Entropy configures how samples of the agent's interpretation raise the level
// (PL-31).
type Entropy struct {
	LeastSamples int     `yaml:"least_samples" range:"2..1000"`
	Ambiguous    float64 `yaml:"ambiguous" range:"0..1"` // share of the maximum entropy
}

// Turns is the range of turns for a checkpoint, both included (PL-32).
type Turns struct {
	FirstTurn int `yaml:"first_turn" range:"1..1000"`
	LastTurn  int `yaml:"last_turn" range:"1..1000"`
}

// Council describes a valid council (PL-35).
type Council struct {
	Challengers     int      `yaml:"challengers" range:"1..20"`
	MaxTurns        int      `yaml:"max_turns" range:"1..1000"`
	MaxDepth        int      `yaml:"max_depth" range:"0..100"`
	PrimaryRoles    []string `yaml:"primary_roles"`
	ChallengerRoles []string `yaml:"challenger_roles"`
	DefenceRoles    []string `yaml:"defence_roles"`
	RouterRoles     []string `yaml:"router_roles"`
	PrimaryKeys     []string `yaml:"primary_keys"`
	AssumptionKeys  []string `yaml:"assumption_keys"`
	ConfidenceWords []string `yaml:"confidence_words"`
}

// Clarification configures questions to a person (PL-36).
type Clarification struct {
	Timeout time.Duration `yaml:"timeout"`
	Default string        `yaml:"default" allow:"A|B|proceed|abandon"`
}

// Phases holds words that identify phases by name.
type Phases struct {
	Implementation []string `yaml:"implementation"`
}

// Tier2 bounds the sources found by search (PL-38a).
type Tier2 struct {
	Sources int `yaml:"sources" range:"0..1000"`
	Tokens  int `yaml:"tokens" range:"0..10000000"`
}

// Kept bounds what a run remembers.
type Kept struct {
	Text     int `yaml:"text" range:"40..10000"` // bytes
	List     int `yaml:"list" range:"1..1000"`   // entries
	Sessions int `yaml:"sessions" range:"1..10000"`
	Requests int `yaml:"requests" range:"1..1000"`
	Log      int `yaml:"log" range:"1..10000"`
}

// LoadConfig returns the configuration of a rule set. An error names the file, the
// line and the fix.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("intent", &c); err != nil {
		return nil, fmt.Errorf("read intent configuration: %w", err)
	}
	var err error
	if c.analyzer, err = ambiguity.Load(set); err != nil {
		return nil, err
	}
	hours, err := workhours.Load(set)
	if err != nil {
		return nil, err
	}
	c.seen, err = hours.Notifications.Window()
	return &c, err
}

// Validate checks that the values are consistent.
func (c *Config) Validate() error {
	switch {
	case c.Levels.Ambiguous < c.Levels.Uncertain:
		return fmt.Errorf("levels: ambiguous %d must not be below uncertain %d", c.Levels.Ambiguous, c.Levels.Uncertain)
	case c.Checkpoint.LastTurn < c.Checkpoint.FirstTurn:
		return fmt.Errorf("checkpoint: last_turn %d must not be before first_turn %d", c.Checkpoint.LastTurn, c.Checkpoint.FirstTurn)
	case c.Clarification.Timeout < time.Minute:
		return fmt.Errorf("clarification: timeout %s is less than a minute", c.Clarification.Timeout)
	}
	return nil
}

// holds reports whether a name contains one of the words, in any case.
func holds(words []string, name string) bool {
	name = strings.ToLower(name)
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// implementation reports whether a phase is one that writes code, by its name.
func (c *Config) implementation(phase string) bool { return holds(c.Phases.Implementation, phase) }
