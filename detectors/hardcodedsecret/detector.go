// Package hardcodedsecret finds credentials that are written into code (B1).
//
// It works on redacted turns: ingest has replaced every secret by a marker and attached the
// attributes of its value (SW-7).
package hardcodedsecret

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the B1 detector.
var Detector = &detect.Detector{
	ID: "B1", Name: "hardcodedsecret", Class: sessionevents.ClassB,
	Title: "Credential or secret exposure",
	Doc:   doc, Rules: []string{"B1", "SW-4", "SW-7", "SW-20", "SW-40", "SW-44"},
	New: newInstance,
}

type config struct {
	ReworkCost       int      `yaml:"rework_cost" range:"1..5"`
	SelfCorrect      float64  `yaml:"self_correct" range:"0..1"`
	NameFloor        float64  `yaml:"name_floor" range:"0..5"`
	RaisedConfidence float64  `yaml:"raised_confidence" range:"0..1"`
	PlanConfidence   float64  `yaml:"plan_confidence" range:"0..1"`
	RedFlags         []string `yaml:"red_flags"`
	PlanWords        string   `yaml:"plan_words"`
	AllowedFiles     string   `yaml:"allowed_files"`
	ExampleFiles     string   `yaml:"example_files"`
	ManagerLines     string   `yaml:"manager_lines"`
	MockRules        []string `yaml:"mock_rules"`
	MockLines        string   `yaml:"mock_lines"`
	PerTurn          int      `yaml:"per_turn" range:"1..10000"`
	Places           int      `yaml:"places" range:"1..1000"`
	Remembered       int      `yaml:"remembered" range:"16..4096"`
	Ignored          int      `yaml:"ignored" range:"1..1024"`
}

type instance struct {
	config
	planWords, allowed, example, manager, mockLine *pattern.Regexp
	files                                          *files.Table
	redFlags, mockRules                            map[string]bool
}

func newInstance(set *rules.Set) (detect.Instance, error) {
	d := &instance{redFlags: map[string]bool{}, mockRules: map[string]bool{}}
	if err := set.Decode("hardcodedsecret", &d.config); err != nil {
		return nil, err
	}
	var err error
	from := pattern.For(set, "hardcodedsecret")
	for _, expression := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"plan_words", d.PlanWords, &d.planWords},
		{"allowed_files", d.AllowedFiles, &d.allowed},
		{"example_files", d.ExampleFiles, &d.example},
		{"manager_lines", d.ManagerLines, &d.manager},
		{"mock_lines", d.MockLines, &d.mockLine},
	} {
		if *expression.into, err = from.Go(expression.key, expression.text); err != nil {
			return nil, err
		}
	}
	for _, id := range d.config.RedFlags {
		d.redFlags[id] = true
	}
	for _, rule := range d.config.MockRules {
		d.mockRules[rule] = true
	}
	d.files, err = files.Load(set)
	return d, err
}

// NewState returns the session's memory.
func (d *instance) NewState() any { return &memory{} }
