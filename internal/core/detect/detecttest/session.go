package detecttest

import (
	"testing"

	"github.com/stretchr/testify/require"

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

func newSession(t testing.TB, set *rules.Set, opened *events.SessionOpened) *session {
	config, err := registry.Load(set)
	require.NoError(t, err)
	s := &session{registry: registry.New(config)}
	if opened != nil {
		s.registry.Open(opened)
	}
	return s
}

// next is the pass over the session's next turn.
func (s *session) next(_ testing.TB, turn *events.Turn) *detect.Pass {
	s.turns++
	cut := cut(turn, s.turns)
	return &detect.Pass{Turn: cut, Before: s.registry, Additions: s.registry.Digest(cut)}
}

// commit folds the pass's additions into the registry.
func (s *session) commit(p *detect.Pass) { s.registry.Commit(p.Additions) }
