package chain_test

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// A batch that is signed with a key that named its successor is found, in each stream,
// although the key is still trusted for what it signed before.
func TestABatchByAnOldKeyIsFound(t *testing.T) {
	s := newSystem(t, true)
	s.feed(20)
	for _, name := range chain.Streams {
		stage := map[string]string{"SEGMENTS": "ingest", "SIGNALS": "evaluator", "DECISIONS": "dispatcher"}[string(name)]
		old := s.keys[stage]
		rotate(t, s, stage)
		s.feed(5)
		c := &scene{copied: s.copy(), t: t, keys: s.keys, options: s.options()}
		requireClean(t, c.copied, c.options)
		m := proof.Message{Subject: s.copyOf(c, c.nth(name, busy, 0)), Header: nats.Header{}, Data: []byte(`{"forged":true}`)}
		end := c.seal(name, busy, old, []proof.Message{m})
		c.add(name, m)
		want := place{chain.ReplacedKey, name, busy, c.add(name, end)}
		r := verify(t, c.copied, c.options)
		found := false
		for _, f := range r.Findings {
			found = found || placeOf(f) == want
		}
		require.True(t, found, "want %s, found:\n%s", want, lines(r.Findings))
	}
}

// copyOf returns the subject of a batch's first message.
func (s *system) copyOf(c *scene, b batch) string { return c.at(b, 0).Subject }
