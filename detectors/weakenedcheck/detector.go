package weakenedcheck

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is E2 as a value.
var Detector = &detect.Detector{
	ID: "E2", Name: "weakenedcheck", Class: sessionevents.ClassE,
	Title: "Weakened check",
	Doc:   doc, Rules: []string{"E2", "SW-3", "SW-14", "SW-30", "SW-42", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of E2.
const (
	cost        = 4
	brokenCost  = 5 // against a stated constraint
	selfCorrect = 0.2
)

// NewState is the memory of what failed and what the session edited.
func (*instance) NewState() any { return &memory{} }

// Run folds the turn in the order of its segments.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	j := d.watch(p)
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		switch {
		case s.Kind == sessionevents.SegmentDiff:
			j.edited(s)
		case s.Tool != nil:
			j.looked(s)
			j.commanded(s)
			j.checks.checked(s)
		}
	}
	a := &account{j.turn, &scales{j.turn}}
	a.settle()
	findings := a.findings()
	j.checks.forget()
	return findings
}
