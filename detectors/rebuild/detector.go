// Package rebuild finds work that this session has done already and does again:
// a symbol built twice, an edit repeated, a rewrite announced for no reason (C2).
package rebuild

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is C2 as a value.
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
	// repeatFloor holds from the third rebuild of one thing on.
	repeatFloor sessionevents.Urgency = 20
)

// NewState is the memory of rebuilds and of failures that excuse one.
func (*instance) NewState() any { return &memory{} }

// Run looks for symbols built again, then for edits repeated, then for rebuilds
// that the plan announces.
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

// again is a candidate: something of an earlier turn that this turn builds once more.
type again struct {
	subject    string
	subclass   string // named, overlap, announced, rewritten
	cost       int
	confidence float64
	earlier    sessionevents.EarlierEvent
	evidence   sessionevents.Evidence
	message    string
	reason     string
	names      []string // what a person or an error would call it
	// otherInterface: same name, other parameters: A2's case.
	otherInterface bool
	// said: it was announced, and this turn does not do it.
	said bool
	// times is how many versions of a file came before this one without a run.
	times int
}
