package wave

import (
	"fmt"
	"path"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Config is the section "wave" of the rule data.
type Config struct {
	MainBranches   []string `yaml:"main_branches"`
	Authors        Authors  `yaml:"authors"`
	PlanDocuments  []string `yaml:"plan_documents"`
	SharedFiles    []string `yaml:"shared_files"`
	NotSource      []string `yaml:"not_source"`
	LockFiles      []string `yaml:"lock_files"`
	ExemptPurposes []string `yaml:"exempt_purposes"`
	MergePurposes  []string `yaml:"merge_purposes"`
	MergedNothing  []string `yaml:"merged_nothing"`
	CompileWords   []string `yaml:"compile_words"`
	CompilePhrases []string `yaml:"compile_phrases"`
	TestWords      []string `yaml:"test_words"`
	ChatReports    []string `yaml:"chat_reports"`
	ReportPlaces   []string `yaml:"report_places"`
	NoCommit       []string `yaml:"no_commit"`
	TaintWords     []string `yaml:"taint_words"`
	Recovery       []Way    `yaml:"recovery"`
	Kept           Kept     `yaml:"kept"`

	files *files.Table
}

// Authors holds patterns that identify the author of a commit.
type Authors struct {
	Orchestrator []string `yaml:"orchestrator"`
	Scout        []string `yaml:"scout"`
	Scaffold     []string `yaml:"scaffold"`
	Agent        []string `yaml:"agent"`
}

// Way is a recovery option after an isolation failure (WP-1).
type Way struct {
	ID       string `yaml:"id"`
	Text     string `yaml:"text"`
	Tradeoff string `yaml:"tradeoff"`
}

// Kept bounds the state of a run.
type Kept struct {
	Waves      int `yaml:"waves" range:"1..1000"`
	Agents     int `yaml:"agents" range:"1..500"`
	Paths      int `yaml:"paths" range:"1..1000000"`
	Patterns   int `yaml:"patterns" range:"1..10000"`
	PathBytes  int `yaml:"path_bytes" range:"64..65536"`
	Commits    int `yaml:"commits" range:"1..100000"`
	Judgements int `yaml:"judgements" range:"1..100000"`
	Incidents  int `yaml:"incidents" range:"1..100000"`
	Actors     int `yaml:"actors" range:"1..10000"`
	References int `yaml:"references" range:"1..1000"`
}

// LoadConfig returns the configuration of a rule set. An error names the file, the
// line and the fix.
func LoadConfig(set *rules.Set) (*Config, error) {
	var c Config
	if err := set.Decode("wave", &c); err != nil {
		return nil, fmt.Errorf("read wave configuration: %w", err)
	}
	var err error
	c.files, err = files.Load(set)
	return &c, err
}

// Validate checks the patterns and the order of the three recovery options, whose numbers
// are part of the contract (recovery.selected).
func (c *Config) Validate() error {
	for _, list := range [][]string{c.PlanDocuments, c.SharedFiles, c.NotSource, c.Authors.Orchestrator, c.Authors.Scout, c.Authors.Scaffold, c.Authors.Agent} {
		for _, pattern := range list {
			if _, err := path.Match(pattern, "x"); err != nil {
				return fmt.Errorf("pattern %q: %w", pattern, err)
			}
		}
	}
	if len(c.Recovery) != 3 || c.Recovery[0].ID != "1" || c.Recovery[1].ID != "2" || c.Recovery[2].ID != "3" {
		return fmt.Errorf("recovery must list the options 1, 2 and 3 in this order")
	}
	return nil
}

// options returns the recovery options for the question to a person (WP-1): without
// default or timeout.
func (c *Config) options() []runevents.Option {
	out := make([]runevents.Option, 0, len(c.Recovery))
	for _, way := range c.Recovery {
		out = append(out, runevents.Option{ID: way.ID, Text: way.Text, Tradeoff: way.Tradeoff})
	}
	return out
}
