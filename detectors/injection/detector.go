// Package injection finds places where data that a user controls reaches SQL, a
// shell, an interpreter, HTML, a path or an object reader (B2).
//
// The patterns are in rules/injection_<language>.yaml; internal/analysis/codepattern follows the
// values.
package injection

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/codepattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pagetemplate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the B2 detector.
var Detector = &detect.Detector{
	ID: "B2", Name: "injection", Class: sessionevents.ClassB,
	Title: "Injection vector",
	Doc:   doc, Rules: []string{"B2", "SW-4", "SW-5", "SW-20", "SW-40", "SW-44"},
	New: newInstance,
}

// config is rules/injection.yaml.
type config struct {
	SelfCorrect      float64         `yaml:"self_correct" range:"0..1"`
	CostSingle       int             `yaml:"cost_single" range:"1..5"`
	CostFew          int             `yaml:"cost_few" range:"1..5"`
	CostMany         int             `yaml:"cost_many" range:"1..5"`
	FewPlaces        int             `yaml:"few_places" range:"2..100"`
	ManyPlaces       int             `yaml:"many_places" range:"2..100"`
	Floor            float64         `yaml:"floor" range:"0..5"`
	FloorFrom        float64         `yaml:"floor_from" range:"0..1"`
	LogOnlyBelow     float64         `yaml:"log_only_below" range:"0..1"`
	RedFlags         rules.Words     `yaml:"red_flags"`
	RaisedConfidence float64         `yaml:"raised_confidence" range:"0..1"`
	PlanConfidence   float64         `yaml:"plan_confidence" range:"0..1"`
	PlanWords        *pattern.Regexp `yaml:"plan_words"`
	PerTurn          int             `yaml:"per_turn" range:"1..10000"`
	Remembered       int             `yaml:"remembered" range:"1..4096"`
}

type instance struct {
	config
	engine    *codepattern.Engine
	templates *pagetemplate.Reader
	files     *files.Table
}

func newInstance(set *rules.Set) (detect.Instance, error) {
	d := &instance{}
	if err := set.Decode("injection", &d.config); err != nil {
		return nil, err
	}
	var err error
	if d.engine, err = codepattern.Open(set, "injection", codepattern.Names(set, "injection"), false, nil); err != nil {
		return nil, err
	}
	if d.templates, err = pagetemplate.New(set); err != nil {
		return nil, err
	}
	d.files, err = files.Load(set)
	return d, err
}

// NewState returns the session's memory.
func (d *instance) NewState() any { return &memory{} }

// Judge reports a signal as corrected if its lines are removed from the file without a
// replacement of the same weakness, as committed if a later edit of the file builds on
// it, and otherwise as open (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 {
		return sessionevents.OutcomeOpen, "nothing to look for"
	}
	if s.Evidence[0].Kind != sessionevents.SegmentDiff {
		return d.judgePlan(p)
	}
	line := firstLine(s.Evidence[0].Quote)
	lines := detect.Lines{
		Path:    s.Evidence[0].Path,
		Removed: "the lines were removed or rewritten", Rewritten: "the lines were removed or rewritten",
		In: func(list []sessionevents.Line) bool {
			return line != "" && slices.ContainsFunc(list, func(l sessionevents.Line) bool { return strings.Contains(l.Text, line) })
		},
		Again: func(g *sessionevents.Segment) string {
			if d.weak(p, g, s.CWE) {
				return "the lines were rewritten and are still open to it"
			}
			return ""
		},
	}
	return lines.Outcome(p)
}

// weak reports whether the additions of an edit have the same weakness.
func (d *instance) weak(p *detect.Pass, s *sessionevents.Segment, cwe int) bool {
	found, _ := d.engine.Read(p.Reader, s, nil)
	for _, m := range found {
		if m.Rule.CWE == cwe {
			return true
		}
	}
	return false
}

// judgePlan checks whether the code that follows an announcement does what was announced.
func (d *instance) judgePlan(p *detect.Pass) (sessionevents.Outcome, string) {
	return detect.AfterPlan(p, detect.Applied, func(s *sessionevents.Segment) bool {
		found, _ := d.engine.Read(p.Reader, s, nil)
		return len(found) > 0
	}, "the code does so", "the code that followed does not")
}
