package chain_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// again returns an event of the busy partition that a stage could have derived next.
func (s *scene) again(name events.Stream, text string) proof.Message {
	m := *s.at(s.nth(name, busy, 0), 0)
	m.Data = []byte(text)
	return m
}

// commit appends events with a checkpoint that the stage signed.
func (s *scene) commit(name events.Stream, outputs ...proof.Message) {
	s.t.Helper()
	c := s.seal(name, busy, s.keys[subjects.StageOf(name)], outputs)
	for _, m := range outputs {
		s.add(name, m)
	}
	s.add(name, c)
}

func newScene(t *testing.T) *scene {
	t.Helper()
	system := newSystem(t, true)
	system.feed(30)
	return &scene{copied: system.copy(), t: t, keys: system.keys, options: system.options()}
}

func (s *scene) renew() *scene {
	c := *s
	c.copied = s.clone()
	return &c
}

// A full disk ends a batch between its messages. When the stage has committed its events again,
// what is left of the first attempt is known, and so is a snapshot of it that a later one replaced.
func TestAnUnfinishedBatchIsNoForgery(t *testing.T) {
	recorded := newScene(t)
	for _, name := range chain.Streams {
		t.Run(string(name), func(t *testing.T) {
			s := recorded.renew()
			s.t = t
			one, two := s.again(name, `{"n":1}`), s.again(name, `{"n":2}`)
			first := s.add(name, one)
			s.add(name, two)
			snapshot := proof.Message{Subject: subjects.SnapshotSubject(subjects.StageOf(name), busy, "s1"), Header: nats.Header{}, Data: []byte("x")}
			replaced := s.add(name, snapshot)
			kept := s.add(name, proof.Message{Subject: snapshot.Subject + "x", Header: nats.Header{}, Data: []byte("y")})
			s.remove(name, func(m proof.Message) bool { return m.Sequence == kept })
			before := verify(t, s.copied, s.options)
			require.False(t, before.Verified, "the stage has not committed them yet")
			require.Equal(t, chain.ForgedEvent, before.Findings[0].Kind)
			require.Contains(t, before.Findings[0].What, "verify again when the stage is ready", "nothing was committed after it")

			s.commit(name, one, two)
			r := requireClean(t, s.copied, s.options)
			require.Len(t, r.Unfinished, 1)
			u := r.Unfinished[0]
			require.Equal(t, chain.Unfinished{Stream: name, Partition: busy, Sequence: first, Through: replaced, Messages: 3, Committed: s.streams[name].Last}, u)
			require.Contains(t, u.String(), "unfinished batch")
		})
	}
}

// What only looks like an unfinished batch is a forgery: an event that the stage never committed,
// one that it committed before, one of another partition, a lone snapshot.
func TestAForgeryIsNoUnfinishedBatch(t *testing.T) {
	recorded := newScene(t)
	for _, name := range chain.Streams {
		for what, do := range map[string]func(*scene) uint64{
			"an event that is never committed": func(s *scene) uint64 {
				at := s.add(name, s.again(name, `{"forged":true}`))
				s.commit(name, s.again(name, `{"n":1}`))
				return at
			},
			"a header more": func(s *scene) uint64 {
				m := s.again(name, `{"n":1}`)
				m.Header = nats.Header{"ce-extra": {"x"}}
				at := s.add(name, m)
				s.commit(name, s.again(name, `{"n":1}`))
				return at
			},
			"a copy of a committed event": func(s *scene) uint64 {
				s.commit(name, s.again(name, `{"n":1}`))
				at := s.add(name, s.again(name, `{"n":1}`))
				s.commit(name, s.again(name, `{"n":2}`))
				return at
			},
			"a second copy": func(s *scene) uint64 {
				s.add(name, s.again(name, `{"n":1}`))
				s.commit(name, s.again(name, `{"n":1}`))
				at := s.add(name, s.again(name, `{"n":1}`))
				return at
			},
			"a snapshot alone": func(s *scene) uint64 {
				at := s.add(name, proof.Message{Subject: subjects.SnapshotSubject(subjects.StageOf(name), busy, "s1"), Header: nats.Header{}, Data: []byte("x")})
				s.commit(name, s.again(name, `{"n":1}`))
				return at
			},
		} {
			t.Run(string(name)+": "+what, func(t *testing.T) {
				s := recorded.renew()
				s.t = t
				at := do(s)
				r := verify(t, s.copied, s.options)
				require.Len(t, r.Findings, 1, lines(r.Findings))
				require.Equal(t, place{chain.ForgedEvent, name, busy, at}, placeOf(r.Findings[0]))
			})
		}
	}
}

// acknowledge returns the act of an operator as ingest forwards it.
func (s *scene) acknowledge(faults []chain.Finding) proof.Message {
	s.t.Helper()
	details, err := json.Marshal(chain.Damage(faults))
	require.NoError(s.t, err)
	e := events.Event{
		ID: "ack", Source: "/test", Type: runevents.TypeOperatorAct, Subject: "s1", PartitionKey: "s1",
		Data: &runevents.OperatorAct{Act: runevents.ActAcknowledgeDamage, By: "mara", Why: "the disk was full", Details: details},
	}
	subject, err := subjects.StoredSubject(segments, e, partitions)
	require.NoError(s.t, err)
	header, data, err := events.EncodeBinary(e)
	require.NoError(s.t, err)
	return proof.Message{Subject: subject, Header: header, Data: data}
}

func (s *scene) place(text string) chain.Place {
	s.t.Helper()
	p, err := chain.ParsePlace(text)
	require.NoError(s.t, err)
	return p
}

// Damage that an operator acknowledged is named by every later verification, which otherwise
// passes; a later fault of the same kind at its side, or in its place, is found.
func TestAcknowledgedDamageIsNamed(t *testing.T) {
	recorded := newScene(t)
	for _, name := range chain.Streams {
		t.Run(string(name), func(t *testing.T) {
			s := recorded.renew()
			s.t = t
			gone := s.at(s.nth(name, busy, 1), 0).Sequence
			s.remove(name, func(m proof.Message) bool { return m.Sequence == gone })
			var forged []uint64
			for i := range 30 { // more than are listed
				forged = append(forged, s.add(name, s.again(name, fmt.Sprint(i))))
			}
			hole := s.add(name, s.again(name, "gap"))
			s.remove(name, func(m proof.Message) bool { return m.Sequence == hole })
			s.commit(name, s.again(name, `{"n":1}`))
			damaged := verify(t, s.copied, s.options)
			require.False(t, damaged.Verified)
			faults := damaged.Faults(s.place(string(name)))
			require.Len(t, faults, 32, lines(faults))
			require.Len(t, damaged.Faults(s.place(fmt.Sprintf("%s/%d", name, gone))), 1)
			require.Len(t, damaged.Faults(s.place(fmt.Sprintf("%s/%d-%d", name, forged[0], forged[29]))), 30)
			require.Equal(t, faults, damaged.Faults(s.place("all")))

			outside := s.renew()
			outside.add(segments, outside.acknowledge(faults)) // nobody with an operator's credential said it
			require.False(t, verify(t, outside.copied, outside.options).Verified)
			other := s.renew()
			if name != segments {
				ack := other.acknowledge(faults)
				ack.Subject = strings.Replace(ack.Subject, "segments.", strings.ToLower(string(name))+".", 1)
				other.commit(name, ack) // a later stage cannot acknowledge
				require.False(t, verify(t, other.copied, other.options).Verified)
			}

			s.commit(segments, s.acknowledge(faults))
			r := requireClean(t, s.copied, s.options)
			require.Len(t, r.Acknowledged, 32)
			require.Contains(t, r.Acknowledged[0].String(), `acknowledged by "mara"`)
			require.Contains(t, r.Result(), "32 acknowledged faults")
			text := &strings.Builder{}
			require.NoError(t, r.WriteText(text, false))
			require.Contains(t, text.String(), "the disk was full")

			anchor := chain.NewAnchor(r, r.Streams[0].Now)
			s.options.Anchors = []chain.Anchor{anchor}
			requireClean(t, s.copied, s.options)

			beside := s.renew()
			beside.add(name, beside.again(name, "later"))
			require.Len(t, verify(t, beside.copied, beside.options).Findings, 1)
			instead := s.renew()
			for i, m := range instead.messages[name] {
				if m.Sequence == forged[3] {
					instead.messages[name][i].Data = []byte("another")
				}
			}
			found := verify(t, instead.copied, instead.options).Findings
			require.Len(t, found, 1, lines(found))
			require.Equal(t, forged[3], found[0].Sequence)
		})
	}
}

func TestPlaces(t *testing.T) {
	for _, text := range []string{"all", "INPUT", "SEGMENTS", "SIGNALS/3", "DECISIONS/3-9", "DEADLETTER", "KV_RULES/2"} {
		_, err := chain.ParsePlace(text)
		require.NoError(t, err, text)
	}
	for _, text := range []string{"", "segments", "SEGMENTS/", "SEGMENTS/0", "SEGMENTS/9-3", "SEGMENTS/x", "TIMERS", "SEGMENTS/3-"} {
		_, err := chain.ParsePlace(text)
		require.Error(t, err, text)
	}
}
