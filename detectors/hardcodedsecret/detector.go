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
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
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

// Judge reports a signal as corrected if its marker is removed from the file or the file
// is deleted, as committed if a later DIFF builds on the file and keeps it, and otherwise
// as open (SW-44).
func (d *instance) Judge(p *detect.Pass, s *sessionevents.Signal) (sessionevents.Outcome, string) {
	if len(s.Evidence) == 0 {
		return sessionevents.OutcomeOpen, "nothing to look for"
	}
	if s.Evidence[0].Kind != sessionevents.SegmentDiff {
		return judgePlan(p)
	}
	wanted := map[string]bool{}
	for i := range s.Evidence {
		for _, marker := range redact.Markers(s.Evidence[i].Quote) {
			wanted[marker.Fingerprint] = true
		}
	}
	lines := detect.Lines{
		Path: s.Evidence[0].Path, Removed: "the line was removed", Rewritten: "the file was rewritten without it",
		In: func(list []sessionevents.Line) bool { return len(held(list, wanted)) > 0 },
	}
	lines.Left = func(removed []sessionevents.Line) bool {
		return keeps(p.State, lines.Path, wanted, held(removed, wanted))
	}
	return lines.Outcome(p)
}

// held returns the wanted values that lines contain.
func held(lines []sessionevents.Line, wanted map[string]bool) map[string]bool {
	found := map[string]bool{}
	for _, line := range lines {
		for _, marker := range redact.Markers(line.Text) {
			if wanted[marker.Fingerprint] {
				found[marker.Fingerprint] = true
			}
		}
	}
	return found
}

// keeps reports whether a file still contains a wanted value that was not removed: a
// signal may be about several places.
func keeps(state any, path string, wanted, removed map[string]bool) bool {
	m, ok := state.(*memory)
	for fingerprint := range wanted {
		if ok && !removed[fingerprint] && m.knows(path, fingerprint) {
			return true
		}
	}
	return false
}

// judgePlan checks whether the code that follows an announcement does what was announced.
func judgePlan(p *detect.Pass) (sessionevents.Outcome, string) {
	known := byMarker(p.Turn.Secrets)
	return detect.AfterPlan(p, detect.Written, func(s *sessionevents.Segment) bool { return len(addedTo(s, known)) > 0 },
		"the credential was written", "the code that followed holds no credential")
}
