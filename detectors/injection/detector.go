// Package injection finds places where data that a user controls reaches SQL, a
// shell, an interpreter, HTML, a path or an object reader (B2).
//
// What is looked for stands in rules/injection_<language>.yaml; the engine that
// follows values is internal/analysis/codepattern.
package injection

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is B2 as a value.
var Detector = &detect.Detector{
	ID: "B2", Name: "injection", Class: sessionevents.ClassB,
	Title: "Injection vector",
	Doc:   doc, Rules: []string{"B2", "SW-4", "SW-5", "SW-20", "SW-40", "SW-44"},
	New: newInstance,
}

// config is rules/injection.yaml.
type config struct {
	SelfCorrect      float64  `yaml:"self_correct" range:"0..1"`
	CostSingle       int      `yaml:"cost_single" range:"1..5"`
	CostFew          int      `yaml:"cost_few" range:"1..5"`
	CostMany         int      `yaml:"cost_many" range:"1..5"`
	FewPlaces        int      `yaml:"few_places" range:"2..100"`
	ManyPlaces       int      `yaml:"many_places" range:"2..100"`
	Floor            float64  `yaml:"floor" range:"0..5"`
	FloorFrom        float64  `yaml:"floor_from" range:"0..1"`
	LogOnlyBelow     float64  `yaml:"log_only_below" range:"0..1"`
	RedFlags         []string `yaml:"red_flags"`
	RaisedConfidence float64  `yaml:"raised_confidence" range:"0..1"`
	PlanConfidence   float64  `yaml:"plan_confidence" range:"0..1"`
	PlanWords        string   `yaml:"plan_words"`
	PerTurn          int      `yaml:"per_turn" range:"1..10000"`
	Remembered       int      `yaml:"remembered" range:"1..4096"`
}

// ruleSection is one section injection_<language>.
type ruleSection struct {
	Rules []codepattern.Rule `yaml:"rules"`
}

// Validate places errors in rules at their lines.
func (s *ruleSection) Validate() error { return codepattern.Validate(s.Rules) }

// sectionPrefix begins the names of the sections that hold rules.
const sectionPrefix = "injection_"

type instance struct {
	config
	engine    *codepattern.Engine
	planWords *regexp.Regexp
	testFile  *regexp.Regexp
	redFlags  map[string]bool
}

// Rules are the patterns of every section injection_<language>, in order of the
// sections' names.
func Rules(set *rules.Set) ([]codepattern.Rule, error) {
	var out []codepattern.Rule
	for _, name := range set.Sections() {
		if !strings.HasPrefix(name, sectionPrefix) {
			continue
		}
		var section ruleSection
		if err := set.Decode(name, &section); err != nil {
			return nil, err
		}
		out = append(out, section.Rules...)
	}
	return out, nil
}

func newInstance(set *rules.Set) (detect.Instance, error) {
	d := &instance{redFlags: map[string]bool{}}
	if err := set.Decode("injection", &d.config); err != nil {
		return nil, err
	}
	list, err := Rules(set)
	if err != nil {
		return nil, err
	}
	if d.engine, err = codepattern.New(set, "injection", list); err != nil {
		return nil, err
	}
	if d.planWords, err = regexp.Compile(d.PlanWords); err != nil {
		return nil, fmt.Errorf("rules: injection.plan_words: %w", err)
	}
	for _, id := range d.config.RedFlags {
		d.redFlags[id] = true
	}
	d.testFile, err = secrets.TestFilePattern(set)
	return d, err
}

// NewState returns the session's memory.
func (d *instance) NewState() any { return &memory{} }
