// Package circular finds questions that are raised, decided or planned again
// although nothing new has come up (C3).
package circular

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the C3 detector.
var Detector = &detect.Detector{
	ID: "C3", Name: "circular", Class: sessionevents.ClassC,
	Title: "Deciding the same question again and again",
	Doc:   doc, Rules: []string{"C3", "SW-5", "SW-13", "SW-20", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// NewState returns an empty memory of questions.
func (*instance) NewState() any { return &memory{} }

// Run processes the turn in order: what is news about a question, and what raises it.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	m.begin(p)
	var findings []detect.Finding
	said := d.read(p)
	list := d.deliberations(p, said)
	news := -1 // as of the turn's plan; its calls bring news later
	for i := range p.Turn.Segments {
		s := &p.Turn.Segments[i]
		if s.Kind == sessionevents.SegmentPlan && news < 0 {
			news = m.News
		}
		d.note(m, p, s)
		for ; len(list) > 0 && list[0].segment == s.Index; list = list[1:] {
			if f := d.raise(m, p, &list[0]); f != nil {
				findings = append(findings, *f)
			}
		}
	}
	findings = append(findings, d.causes(m, p, said)...)
	if f := d.undone(m, p); f != nil && len(findings) == 0 {
		findings = append(findings, *f)
	}
	d.noteRun(m, p)
	if f := d.repeatedPlan(m, p, said, news); f != nil && len(findings) == 0 {
		findings = append(findings, *f)
	}
	m.bound(d.Remembered)
	return append(findings, d.withdrawn(p, said)...)
}
