// Package rebuild finds work that this session has already done and does again: a symbol
// built twice, an edit repeated, a rewrite announced without a reason (C2).
package rebuild

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the C2 detector.
var Detector = &detect.Detector{
	ID: "C2", Name: "rebuild", Class: sessionevents.ClassC,
	Title: "Rebuilding work of this session",
	Doc:   doc, Rules: []string{"C2", "SW-10", "SW-11", "SW-41a", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of C2.
const (
	costByName    = 1
	costByOverlap = 2
	selfCorrect   = 0.5
	// repeatFloor applies from the third rebuild of one thing on.
	repeatFloor sessionevents.Urgency = 20
)

// NewState returns an empty memory of rebuilds and of failures that excuse them.
func (*instance) NewState() any { return &memory{} }

// Run examines symbols built again, repeated edits, then rebuilds that the plan
// announces.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	t := d.look(p)
	list := d.named(t)
	list = append(list, d.repeated(t, list)...)
	d.settle(m, p, true)
	list = append(list, d.rewritten(m, t, list)...)
	d.settle(m, p, false)
	list = append(list, d.announced(t, list)...)
	var findings []detect.Finding
	for i := range list {
		if f := d.report(m, t, &list[i]); f != nil {
			findings = append(findings, *f)
		}
	}
	d.remember(m, p)
	return findings
}

// again is a candidate: something from an earlier turn that this turn builds again.
type again struct {
	subject    string
	subclass   string // named, overlap, announced, rewritten
	cost       int
	confidence float64
	earlier    sessionevents.EarlierEvent
	evidence   sessionevents.Evidence
	message    string
	reason     string
	names      []string // names that a person or an error would use
	// otherInterface is set for the same name with other parameters, which is A2's case.
	otherInterface bool
	// said is set if it was announced but not done in this turn.
	said bool
	// times is the number of versions of a file written before this one without a run.
	times int
}
