package chain_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

const rulesBucket = events.Stream("KV_RULES")

// poisoned returns a system whose ingest gave inputs up.
func poisoned(t *testing.T, inputs int) *copied {
	t.Helper()
	s := newSystem(t, true)
	for i := range inputs {
		s.turns++
		s.publishTurn(&sessionevents.Turn{Session: fmt.Sprintf("p%d", i), TurnID: "t", Format: "markdown", Text: "panic now"}, fmt.Sprintf("poison%d", i))
	}
	s.feed(5)
	c := s.copy()
	require.Len(t, c.messages[events.StreamDeadLetter], inputs)
	return c
}

// Whoever removes dead letters hides that inputs were given up. The batches say that they were.
func TestRemovedDeadLettersAreFound(t *testing.T) {
	recorded := poisoned(t, 3)
	options := chain.Options{Partitions: partitions}
	requireClean(t, recorded, options)

	t.Run("all of them", func(t *testing.T) {
		c := recorded.clone()
		c.remove(events.StreamDeadLetter, func(proof.Message) bool { return true })
		r := verify(t, c, options)
		require.Len(t, r.Findings, 3, lines(r.Findings))
		for _, f := range r.Findings {
			require.Equal(t, chain.LetterGone, f.Kind)
			require.Regexp(t, `^DEADLETTER partition \d: dead letter gone: the dead letter of input \d+ of "p\d", which the ingest skipped \(the skip at SEGMENTS \d+\), was removed$`, f.String())
		}
		require.Len(t, slices.Compact(marks(r.Findings)), 3, "each is acknowledged alone")
	})
	t.Run("one", func(t *testing.T) {
		c := recorded.clone()
		gone := c.messages[events.StreamDeadLetter][1].Sequence
		c.remove(events.StreamDeadLetter, func(m proof.Message) bool { return m.Sequence == gone })
		require.Len(t, verify(t, c, options).Findings, 1)
	})
	t.Run("with their stream", func(t *testing.T) {
		c := recorded.clone()
		c.messages[events.StreamDeadLetter] = nil
		c.streams[events.StreamDeadLetter] = proof.Stream{Name: events.StreamDeadLetter, Missing: true}
		require.Len(t, verify(t, c, options).Findings, 3)
	})
}

// Who removes the skip as well is found by the batch: a skip is an output, as no snapshot is.
func TestARemovedSkipIsFound(t *testing.T) {
	c := poisoned(t, 1)
	var at uint64
	c.remove(events.StreamDeadLetter, func(proof.Message) bool { return true })
	c.remove(events.StreamSegments, func(m proof.Message) bool {
		is := strings.HasPrefix(m.Subject, "skip.") && !proof.IsRecord(m.Subject)
		if is {
			at = m.Sequence
		}
		return is
	})
	r := verify(t, c, chain.Options{Partitions: partitions})
	require.Len(t, r.Findings, 1, lines(r.Findings))
	require.Equal(t, chain.ErasedEvent, r.Findings[0].Kind)
	require.Equal(t, at, r.Findings[0].Sequence)
}

// What the limits of DEADLETTER removed is no fault.
func TestForgottenDeadLettersAreNoFault(t *testing.T) {
	recorded := poisoned(t, 3)
	options := chain.Options{Partitions: partitions}
	of := func(change func(*proof.Stream)) *copied {
		c := recorded.clone()
		s := c.streams[events.StreamDeadLetter]
		change(&s)
		c.streams[events.StreamDeadLetter] = s
		return c
	}
	first := recorded.messages[events.StreamDeadLetter][0].Sequence
	aged := of(func(s *proof.Stream) { s.MaxAge, s.Now = time.Hour, s.Now.Add(2*time.Hour) })
	aged.remove(events.StreamDeadLetter, func(proof.Message) bool { return true })
	requireClean(t, aged, options)
	young := of(func(s *proof.Stream) { s.MaxAge = time.Hour })
	young.remove(events.StreamDeadLetter, func(m proof.Message) bool { return m.Sequence == first })
	require.Len(t, verify(t, young, options).Findings, 1, "it was not old enough")
	full := of(func(s *proof.Stream) { s.MaxBytes = 1000 })
	full.remove(events.StreamDeadLetter, func(m proof.Message) bool { return m.Sequence == first })
	requireClean(t, full, options)
	full.remove(events.StreamDeadLetter, func(proof.Message) bool { return true })
	require.Len(t, verify(t, full, options).Findings, 3, "a limit in bytes leaves the newest")
}

func marks(all []chain.Finding) (list []string) {
	for _, f := range all {
		list = append(list, f.Mark())
	}
	slices.Sort(list)
	return list
}

// configured returns a scene with an event that names a configuration, and what RULES holds of it.
func configured(t *testing.T, recorded *scene) (s *scene, hash string) {
	t.Helper()
	s = recorded.renew()
	s.t = t
	o := deployment.Options{Rules: rules.Default()}
	hash = o.Identity().ConfigHash
	e := s.again(events.StreamSignals, `{"n":1}`)
	e.Header = nats.Header{"ce-confighash": {hash}, "ce-type": e.Header["ce-type"]}
	s.commit(events.StreamSignals, e)
	return s, hash
}

func (s *scene) keepRules(hash string, data []byte, header nats.Header) {
	at := s.streams[rulesBucket]
	at.Kept = 1
	s.streams[rulesBucket] = at
	s.messages[rulesBucket] = nil
	s.add(rulesBucket, proof.Message{Subject: "$KV.RULES." + hash, Data: data, Header: header})
}

// The bucket RULES holds what a configuration hash names, or verification says so (AU-12).
func TestOverwrittenRulesAreFound(t *testing.T) {
	recorded := newScene(t)
	whole, err := deployment.Options{Rules: rules.Default()}.Applied().Encode()
	require.NoError(t, err)
	other, err := rules.Load("other.yaml", []byte("dispatch: {cooldown_turns: 3}"))
	require.NoError(t, err)
	foreign, err := deployment.Options{Rules: other}.Applied().Encode()
	require.NoError(t, err)

	s, hash := configured(t, recorded)
	require.Contains(t, requireClean(t, s.copied, s.options).Limits, "RULES: has no entry for configuration "+hash+
		": recorded by an earlier build, not stored yet, or the bucket was recreated; the events are proven, the rules that they name are not")
	s.keepRules(hash, whole, nats.Header{})
	require.NotContains(t, fmt.Sprint(requireClean(t, s.copied, s.options).Limits), "RULES")

	for name, data := range map[string][]byte{"others": foreign, "none": []byte("x"), "empty": nil} {
		t.Run(name, func(t *testing.T) {
			s, _ := configured(t, recorded)
			s.keepRules(hash, data, nats.Header{})
			r := verify(t, s.copied, s.options)
			require.Len(t, r.Findings, 1, lines(r.Findings))
			require.Equal(t, place{chain.RulesEdited, rulesBucket, chain.WholeStream, 1}, placeOf(r.Findings[0]))
			require.Contains(t, r.Findings[0].What, "which 1 event was decided under")
		})
	}
	t.Run("removed with a mark", func(t *testing.T) {
		s, _ := configured(t, recorded)
		s.keepRules(hash, nil, nats.Header{"KV-Operation": {"PURGE"}})
		r := verify(t, s.copied, s.options)
		require.Len(t, r.Findings, 1, lines(r.Findings))
		require.Equal(t, chain.RulesGone, r.Findings[0].Kind)
	})
	t.Run("removed from the stream", func(t *testing.T) {
		s, _ := configured(t, recorded)
		s.keepRules(hash, whole, nats.Header{})
		s.remove(rulesBucket, func(proof.Message) bool { return true })
		at := s.streams[rulesBucket]
		at.Kept = 0
		s.streams[rulesBucket] = at
		r := verify(t, s.copied, s.options)
		require.Len(t, r.Findings, 1, lines(r.Findings))
		require.Equal(t, chain.RulesGone, r.Findings[0].Kind)
	})
}
