package detecttest

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern/re2" // as services do
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/secrets/fingerprint"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/ledger"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/redact"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/segment/grammars"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Session plays turns as ingest and evaluator do: redacted (SW-7), segmented (SW-2),
// digested (SW-10). It is for detectors' own tests that need more than a script.
type Session struct {
	redactor  *redact.Redactor
	segmenter *segment.Segmenter
	registry  *registry.Registry
	config    registry.Config
	ledgers   *ledger.Config
	ledger    *ledger.Ledger
	workspace string
	turns     int
}

// NewSession starts a session; opened may be nil.
func NewSession(t testing.TB, set *rules.Set, opened *sessionevents.SessionOpened) *Session {
	t.Helper()
	config, err := registry.Load(set)
	require.NoError(t, err)
	secretsConfig, err := secrets.LoadConfig(set)
	require.NoError(t, err)
	scanner, err := secrets.New(secretsConfig, []byte(fingerprint.ScanKey))
	require.NoError(t, err)
	segmenter, err := segment.New(set, grammars.Linked{})
	require.NoError(t, err)
	ledgers, err := ledger.Load(set)
	require.NoError(t, err)
	s := &Session{
		redactor: redact.New(scanner, secretsConfig.PathKeys), segmenter: segmenter, config: config, registry: registry.New(config),
		ledgers: ledgers, ledger: &ledger.Ledger{},
	}
	s.open(opened)
	return s
}

// open applies session.opened; opened may be nil.
func (s *Session) open(opened *sessionevents.SessionOpened) {
	if opened != nil {
		s.registry.Open(opened)
		s.workspace = opened.Workspace
	}
}

// fresh returns a new session with the same rules.
func (s *Session) fresh() *Session {
	return &Session{
		redactor: s.redactor, segmenter: s.segmenter, config: s.config, registry: registry.New(s.config), workspace: s.workspace,
		ledgers: s.ledgers, ledger: &ledger.Ledger{},
	}
}

// Next returns the detectors' input for the session's next turn.
func (s *Session) Next(turn *sessionevents.Turn) *detect.Pass {
	s.turns++
	redacted, found := s.redactor.Turn(*turn)
	cut := s.segmenter.Cut(&redacted, s.turns, segment.Options{Workspace: s.workspace, Secrets: found})
	if turn.Compacted || turn.ForkOf != "" {
		cut.Continuity = &sessionevents.Continuity{Compacted: turn.Compacted, Fork: turn.ForkOf != "", ForkOf: turn.ForkOf}
	}
	additions := s.registry.Digest(cut)
	return &detect.Pass{Turn: cut, Before: s.registry, Additions: additions, Ledger: s.ledgers.Digest(s.ledger, cut, s.registry, additions)}
}

// Commit folds the pass's additions into the registry and the ledger.
func (s *Session) Commit(p *detect.Pass) {
	s.registry.Commit(p.Additions)
	s.ledger = p.Ledger.After
}
