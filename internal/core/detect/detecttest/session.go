package detecttest

import (
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/registry"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// session cuts turns and keeps the registry as the evaluator does.
type session struct {
	registry *registry.Registry
	turns    int
}

func newSession(_ *testing.T, _ *rules.Set, _ *events.SessionOpened) *session {
	return &session{registry: &registry.Registry{}}
}

// next is the pass over the session's next turn.
func (s *session) next(_ *testing.T, turn *events.Turn) *detect.Pass {
	s.turns++
	return &detect.Pass{Turn: cut(turn, s.turns), Before: s.registry, Additions: &registry.Turn{Number: s.turns}}
}

// commit folds the pass's additions into the registry.
func (s *session) commit(p *detect.Pass) {
	for _, g := range p.Turn.Segments {
		if g.Kind == events.SegmentUser {
			b := &s.registry.Baseline
			b.Known, b.Requests = true, append(b.Requests, registry.Request{Turn: p.Turn.Turn, Text: g.Text})
		}
	}
}
