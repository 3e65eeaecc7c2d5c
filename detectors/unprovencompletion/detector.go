// Package unprovencompletion finds claims of completion that no check of the session
// proves, or that one contradicts (E1).
package unprovencompletion

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the E1 detector.
var Detector = &detect.Detector{
	ID: "E1", Name: "unprovencompletion", Class: sessionevents.ClassE,
	Title: "Completion claimed without proof, or against it",
	Doc:   doc, Rules: []string{"E1", "PD-1", "PD-2", "DP-12", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) {
		d := &instance{}
		if err := set.Decode("unprovencompletion", &d.config); err != nil {
			return nil, err
		}
		return d, nil
	},
}

type config struct {
	Confidence struct {
		Contradicted float64 `yaml:"contradicted" range:"0..1"`
		Unproven     float64 `yaml:"unproven" range:"0..1"`
		Excuse       float64 `yaml:"excuse" range:"0..1"`
		Cause        float64 `yaml:"cause" range:"0..1"`
		Todo         float64 `yaml:"todo" range:"0..1"`
		Concealed    float64 `yaml:"concealed" range:"0..1"`
	} `yaml:"confidence"`
	Sure       *pattern.Regexp `yaml:"sure" pattern:"fold,long"`
	Refers     *pattern.Regexp `yaml:"refers" pattern:"fold,long"`
	Around     int             `yaml:"around" range:"0..400"`
	ClaimWords int             `yaml:"claim_words" range:"3..20"`
	Paths      int             `yaml:"paths" range:"0..20"`
	Said       int             `yaml:"said" range:"1..100"`
}

// Figures of E1.
const (
	selfCorrect                             = 0.2
	unprovenCost                            = 3
	contradictedCost                        = 5
	unprovenFloor     sessionevents.Urgency = 20
	contradictedFloor sessionevents.Urgency = 40
)

type instance struct {
	config
}

// NewState returns an empty memory of what was reported.
func (*instance) NewState() any { return &memory{} }

// Run weighs the claims that the ledger does not consider proven. It reports one claim
// per turn, the worst.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	if p.Ledger == nil {
		return nil
	}
	m := p.State.(*memory)
	var findings []detect.Finding
	if c := d.worst(p, m); c != nil {
		findings = append(findings, d.finding(p, c))
		m.note(c, p, d.Said)
	}
	for _, more := range []*detect.Finding{d.dropped(p, m), d.concealed(p, m), d.printed(p)} {
		if more != nil {
			findings = append(findings, *more)
		}
	}
	return findings
}
