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
	ReworkCost       int             `yaml:"rework_cost" range:"1..5"`
	SelfCorrect      float64         `yaml:"self_correct" range:"0..1"`
	NameFloor        float64         `yaml:"name_floor" range:"0..5"`
	RaisedConfidence float64         `yaml:"raised_confidence" range:"0..1"`
	PlanConfidence   float64         `yaml:"plan_confidence" range:"0..1"`
	RedFlags         rules.Words     `yaml:"red_flags"`
	PlanWords        *pattern.Regexp `yaml:"plan_words"`
	AllowedFiles     *pattern.Regexp `yaml:"allowed_files"`
	ExampleFiles     *pattern.Regexp `yaml:"example_files"`
	ManagerLines     *pattern.Regexp `yaml:"manager_lines"`
	MockRules        rules.Words     `yaml:"mock_rules"`
	MockLines        *pattern.Regexp `yaml:"mock_lines"`
	PerTurn          int             `yaml:"per_turn" range:"1..10000"`
	Places           int             `yaml:"places" range:"1..1000"`
	Remembered       int             `yaml:"remembered" range:"16..4096"`
	Ignored          int             `yaml:"ignored" range:"1..1024"`
}

type instance struct {
	config
	files *files.Table
}

func newInstance(set *rules.Set) (detect.Instance, error) {
	d := &instance{}
	if err := set.Decode("hardcodedsecret", &d.config); err != nil {
		return nil, err
	}
	var err error
	d.files, err = files.Load(set)
	return d, err
}

// NewState returns the session's memory.
func (d *instance) NewState() any { return &memory{} }
