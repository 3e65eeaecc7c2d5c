// Package researchspiral finds consecutive turns of reading without an edit, test or
// command with an effect (D3).
package researchspiral

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is the D3 detector.
var Detector = &detect.Detector{
	ID: "D3", Name: "researchspiral", Class: sessionevents.ClassD,
	Title: "Reading on and on without a change, a test or a hypothesis",
	Doc:   doc, Rules: []string{"D3", "SW-20", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of D3.
const (
	reworkCost  = 1
	selfCorrect = 0.5
	// queueFloor applies from the run's fourth turn on.
	queueFloor sessionevents.Urgency = 20
)

// NewState returns an empty memory of research turns.
func (*instance) NewState() any { return &memory{} }

// Run counts consecutive research turns and weighs their purpose.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	m := p.State.(*memory)
	m.begin(p)
	if acts := acts(p); acts || !p.Additions.Research || d.idle(p) {
		if acts {
			m.act(p)
		} else {
			d.noteIntent(m, p)
			m.Run.pause(d.GapTurns)
			m.follows(p, d)
		}
		for i := range p.Turn.Segments {
			d.learn(m, &p.Turn.Segments[i])
		}
		return nil
	}
	d.noteIntent(m, p)
	m.Run.extend(p.Turn.Turn, m.Failed)
	calls := d.follow(m, p)
	why, ok := d.purpose(m, p)
	if !ok || !d.due(m, why) {
		return nil
	}
	m.Run.Reported = m.Run.Reported || why == "" && m.Run.Turns >= d.QueueAt
	return []detect.Finding{d.finding(m, p, calls, why)}
}

// due reports whether to report a run in this turn: at its marks, at the later ones
// whatever excused it before, and when its excuse has lapsed.
func (d *instance) due(m *memory, why string) bool {
	turns := m.Run.Turns
	switch {
	case turns <= d.QueueAt:
		return d.reports(turns)
	case d.reports(turns):
		return true
	}
	return why == "" && m.Lapsed && !m.Run.Reported
}

// reports reports whether a run of this many turns is reported.
func (d *instance) reports(turns int) bool {
	if turns == d.LogAt || turns == d.QueueAt {
		return true
	}
	for _, n := range d.AgainAt {
		if turns == n {
			return true
		}
	}
	return false
}
