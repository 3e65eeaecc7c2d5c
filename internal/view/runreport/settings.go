package runreport

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run/intent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/pipeline"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/policy"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/wave"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/aftermath"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Settings are the section "runreport" of the rule data, and those of the layers
// that the report asks.
type Settings struct {
	Limits      Limits                   `yaml:"limits"`
	Success     []string                 `yaml:"success"`
	Boundaries  []runevents.BreakTrigger `yaml:"boundaries"`
	RedoOptions []int                    `yaml:"redo_options"`

	run      *policy.Config
	wave     *wave.Config
	pipeline *pipeline.Config
	intent   *intent.Config
}

// Limits bound lists; what is left out is counted.
type Limits struct {
	Timeline int `yaml:"timeline" range:"1..100000"`
	Entries  int `yaml:"entries" range:"1..100000"`
	Sessions int `yaml:"sessions" range:"1..100000"`
	Text     int `yaml:"text" range:"20..100000"`
}

// LoadSettings reads the rule data; an error names file, line and the cure.
func LoadSettings(set *rules.Set) (*Settings, error) {
	var s Settings
	if err := set.Decode("runreport", &s); err != nil {
		return nil, fmt.Errorf("read run report settings: %w", err)
	}
	var err error
	if s.run, err = policy.LoadConfig(set); err != nil {
		return nil, fmt.Errorf("read the runs' rules for reports: %w", err)
	}
	if s.wave, err = wave.LoadConfig(set); err != nil {
		return nil, fmt.Errorf("read the waves' rules for reports: %w", err)
	}
	if s.pipeline, err = pipeline.LoadConfig(set); err != nil {
		return nil, fmt.Errorf("read the pipeline's rules for reports: %w", err)
	}
	if s.intent, err = intent.LoadConfig(set); err != nil {
		return nil, fmt.Errorf("read the rules of intent for reports: %w", err)
	}
	return &s, nil
}

// DefaultSettings are those of the embedded rule data.
func DefaultSettings() *Settings {
	s, err := LoadSettings(rules.Default())
	if err != nil {
		panic(err) // the embedded data is checked by this package's tests
	}
	return s
}

// Aftermath are the settings of the verdicts.
func (s *Settings) Aftermath() *aftermath.Settings {
	return &aftermath.Settings{Success: s.Success, Boundaries: s.Boundaries, RedoOptions: s.RedoOptions, Entries: s.Limits.Entries, Text: s.Limits.Text}
}

// short bounds a text by characters.
func (s *Settings) short(text string) string { return s.Aftermath().Short(text) }
