package chain_test

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
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

// A partition that was not written when the key was replaced has no record of it. Those of the
// others say who begins it.
func TestAnOldKeyBeginsNoPartition(t *testing.T) {
	s := newSystem(t, true)
	s.publish("s1", "first")
	s.turns++
	s.feed(0)
	old, next := s.keys["dispatcher"], newKey(t)
	s.trusted["dispatcher"] = append(s.trusted["dispatcher"], public(t, next))
	s.connect()
	n, err := commit.NameSuccessor(context.Background(), s.opened["dispatcher"], "dispatcher", public(t, next))
	require.NoError(t, err)
	require.Equal(t, 1, n)
	other := (busy + 1) % partitions
	begun := func(key nkeys.KeyPair) (*copied, uint64) {
		c := s.copy()
		end := proof.Checkpoint{Version: 1, Stage: "dispatcher", Partition: other, Source: string(signals), Digest: proof.Digest(nil)}
		data, err := end.Seal(key)
		require.NoError(t, err)
		return c, c.add(decisions, proof.Message{Subject: subjects.CheckpointSubject("dispatcher", other), Data: data})
	}
	c, _ := begun(next)
	requireClean(t, c, s.options())
	c, at := begun(old)
	r := verify(t, c, s.options())
	require.Len(t, r.Findings, 1, lines(r.Findings))
	require.Equal(t, place{chain.ReplacedKey, decisions, other, at}, placeOf(r.Findings[0]))
}
