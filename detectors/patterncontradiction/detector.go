// Package patterncontradiction finds work that goes against how the codebase
// does a thing, what the user forbade or what the agent itself decided (A2).
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
	t := &turn{instance: d, Pass: p, memory: p.State.(*memory)}
	t.instructed()
	t.asks()
	t.words()
	t.redecided()
	for i := range p.Turn.Segments {
		switch s := &p.Turn.Segments[i]; s.Kind {
		case sessionevents.SegmentDiff:
			t.edited(s)
			t.breaks(s)
			t.refused(s)
		case sessionevents.SegmentTool:
			t.called(s)
		case sessionevents.SegmentError:
			t.breaks(s)
		}
	}
	t.readyClaims()
	t.dropped()
	t.nameEstablished()
	t.notes()
	return t.findings
}

// turn is one turn under evaluation.
type turn struct {
	*instance
	*detect.Pass
	memory   *memory
	findings []detect.Finding
	demanded []check // see [turn.checks]

	rulesRead   bool
	rules       []*rule
	removedRead bool
	removedText string
	planRead    bool
	planText    string
	usersRead   bool
	userTexts   []sentence

	standingRead *[]*rule // the agent's decisions, see [turn.againstStanding]
}
