package patterncontradiction

import (
	_ "embed"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

//go:embed doc.md
var doc string

// Detector is A2 as a value.
var Detector = &detect.Detector{
	ID: "A2", Name: "patterncontradiction", Class: sessionevents.ClassA,
	Title: "Contradictions of a pattern, constraint or decision",
	Doc:   doc, Rules: []string{"A2", "PD-10", "SW-10", "SW-13", "SW-13a", "SW-14", "SW-30", "SW-42", "SW-44"},
	New: func(set *rules.Set) (detect.Instance, error) { return compile(set) },
}

// Figures of A2.
const (
	layerCost    = 3
	bypassCost   = 4
	contraryCost = 5
	// P(self-corrects) where the agent read or named the established thing, and where not.
	knownCorrects   = 0.5
	unknownCorrects = 0.3
	// queueCap keeps what is only inferred from firing at once.
	queueCap sessionevents.Urgency = 39
)

// NewState is the memory of what the session's files use.
func (*instance) NewState() any { return &memory{} }

// Run judges what the turn plans and does in the order of its segments, and
// learns from what it reads.
func (d *instance) Run(p *detect.Pass) []detect.Finding {
	k := d.judge(p)
	k.orders.instructed()
	k.wishes.asks()
	k.words()
	k.choices.redecided()
	for i := range p.Turn.Segments {
		switch s := &p.Turn.Segments[i]; s.Kind {
		case sessionevents.SegmentDiff:
			k.edited(s)
			k.breaches.breaks(s)
			k.denials.refused(s)
		case sessionevents.SegmentTool:
			k.called(s)
		case sessionevents.SegmentError:
			k.breaches.breaks(s)
		}
	}
	k.orders.readyClaims()
	k.wishes.dropped()
	k.book.nameEstablished()
	k.choices.notes()
	return k.findings
}
