// Package outofscope finds refactoring and restyling of files that the task is not about
// (D1).
package outofscope

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the D1 detector.
var Detector = &detect.Detector{
	ID: "D1", Name: "outofscope", Class: sessionevents.ClassD,
	Title: "Refactoring out of scope",
	Doc:   doc, Rules: []string{"D1", "SW-14", "SW-43", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of D1.
const (
	reworkCost  = 2
	selfCorrect = 0.5
	// driftFloor applies while most of the last edits are unrelated.
	driftFloor sessionevents.Urgency = 20
)

// NewState returns an empty memory of what is in scope.
func (*instance) NewState() any { return &memory{} }

// Run follows the turn's segments in order: first the links to files that the task does
// not name, then the edits. It returns nothing unless the scope is limited (SW-14). An
// edit of style is a finding only in files that the task does not reach (SW-43).
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	w := &watch{instance: d, memory: p.State.(*memory), pass: p, baseline: p.Baseline()}
	w.readScope()
	if w.memory.Silent != "" {
		return nil
	}
	w.flags()
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		switch {
		case s.Proposed || s.Rejected:
		case s.Kind == sessionevents.SegmentError:
			w.failure(s)
		case s.Kind == sessionevents.SegmentTool:
			w.look(s)
			w.moved(s)
		case s.Kind == sessionevents.SegmentDiff:
			w.edit(s)
		}
	}
	w.prerequisites()
	return w.findings()
}

// watch follows one turn.
type watch struct {
	*instance
	memory   *memory
	pass     *detect.Pass
	baseline *registry.Baseline
	flagged  []flag
	outside  []change // unrelated changes of this turn
	inside   []string // what this turn's edits in scope add
}
