// Package content examines what a call would write, send or commit before it runs, with
// the detectors that escalate (DP-3). A hook that decides alone does not use it (GD-20),
// and so links no detector.
package content

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Examiner implements [preflight.Content] with detectors. It keeps no state between calls
// and is safe for concurrent use.
type Examiner struct {
	redactor  preflight.Redactor
	segmenter *segment.Segmenter
	suite     *detect.Suite
}

// New returns an Examiner with those detectors of a suite that escalate.
func New(set *rules.Set, redactor preflight.Redactor, segmenter *segment.Segmenter, suite *detect.Suite) (*Examiner, error) {
	dispatch, err := budget.LoadConfig(set)
	if err != nil {
		return nil, err
	}
	return &Examiner{redactor: redactor, segmenter: segmenter, suite: suite.Only(dispatch.Escalation.Detectors...)}, nil
}

// Signals returns the findings in a call, in the order of the detectors.
func (x *Examiner) Signals(call *preflight.Call) []sessionevents.Signal {
	turn := x.turn(call)
	if !acts(turn) {
		return nil
	}
	result := x.suite.Evaluate(&detect.Pass{
		Turn: turn, Before: &registry.Registry{}, Additions: &registry.Turn{Number: turn.Turn}, At: call.At,
	}, x.suite.NewMemory())
	return result.Signals
}

// turn returns the call as a redacted turn.
func (x *Examiner) turn(call *preflight.Call) *sessionevents.TurnSegmented {
	clean, secrets := x.redactor.Turn(sessionevents.Turn{
		Session: call.Session, Run: call.Run, Format: "blocks", Blocks: []sessionevents.Block{call.Block()},
	})
	return x.segmenter.Cut(&clean, max(call.Turn, 1), segment.Options{Workspace: call.Workspace, Secrets: secrets})
}

// acts reports whether the call edits a file or runs a command.
func acts(t *sessionevents.TurnSegmented) bool {
	for i := range t.Segments {
		if s := &t.Segments[i]; s.Kind == sessionevents.SegmentDiff || s.Tool != nil && s.Tool.Command != "" {
			return true
		}
	}
	return false
}
