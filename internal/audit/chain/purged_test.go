package chain_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// entomb publishes a tombstone of s1 and lets the stages read it.
func (s *system) entomb(id string, erased []runevents.Erasure) {
	s.t.Helper()
	ev := events.Event{
		ID: id, Source: "/test", Type: runevents.TypeContentPurged, Subject: "s1", Time: time.Unix(1_700_000_000, 0).UTC(),
		Data: &runevents.ContentPurged{By: "mara", Why: "request 4711", Erased: erased},
	}
	subject, err := subjects.PublishedSubject(ev)
	require.NoError(s.t, err)
	header, data, err := events.EncodeBinary(ev)
	require.NoError(s.t, err)
	_, err = s.opened["ingest"].JetStream().PublishMsg(context.Background(), &nats.Msg{Subject: subject, Header: header, Data: data})
	require.NoError(s.t, err)
	s.turns++
	s.feed(0)
	recorded, err := read.Recorded(context.Background(), s.opened["dispatcher"], ev)
	require.NoError(s.t, err)
	require.True(s.t, recorded)
}

// purge erases s1.
func (s *system) purge() {
	s.t.Helper()
	ctx := context.Background()
	s.entomb("announced", nil)
	found, err := erase.Find(ctx, s.opened["dispatcher"], "s1", "announced")
	require.NoError(s.t, err)
	var erased []runevents.Erasure
	for _, of := range found {
		require.Positive(s.t, of.Events)
		erased = append(erased, of.Erasure)
	}
	require.Len(s.t, erased, 4, "INPUT and three streams")
	s.entomb("tombstone", erased)
	require.NoError(s.t, erase.Remove(ctx, s.opened["dispatcher"], found, func() {}))
	s.turns -= found[len(found)-1].Events // that feed waits for
}

// A purge is accounted for by its tombstone, and nothing else is.
func TestAPurgeIsAccountedForByItsTombstone(t *testing.T) {
	s := newSystem(t, true)
	s.feed(60)
	before := chain.NewAnchor(verify(t, s.copy(), s.options()), time.Now())
	s.purge()
	all, o := s.copy(), s.options()
	o.Anchors = []chain.Anchor{before}
	r := verify(t, all, o)
	require.Empty(t, r.Findings)
	require.Len(t, r.Purged, 1)
	require.Regexp(t, `^s1: erased by "mara" \("request 4711"\), tombstone at SEGMENTS \d+: 9 of INPUT, 9 of SEGMENTS, 9 of SIGNALS, 9 of DECISIONS; chain intact$`, r.Purged[0].String())
	for name, list := range all.messages {
		for _, m := range list {
			if strings.HasPrefix(m.Subject, "turn.") {
				require.NotContains(t, m.Subject, ".s1.", name)
			}
		}
	}

	more := all.clone()
	victim := slices.IndexFunc(more.messages[signals], func(m proof.Message) bool { return strings.Contains(m.Subject, ".s2.s2") })
	gone := more.messages[signals][victim].Sequence
	more.remove(signals, func(m proof.Message) bool { return m.Sequence == gone })
	r = verify(t, more, o)
	require.Len(t, r.Findings, 1, "one event more than the tombstone names")
	require.Equal(t, chain.ErasedEvent, r.Findings[0].Kind)
	require.Equal(t, gone, r.Findings[0].Sequence)

	without := all.clone()
	without.remove(segments, func(m proof.Message) bool { return m.Header.Get("ce-id") == "tombstone" })
	r = verify(t, without, o)
	require.Empty(t, r.Purged)
	require.Len(t, r.Findings, 28, "what it named, and itself")

	edited := all.clone()
	for i, m := range edited.messages[segments] {
		if m.Header.Get("ce-id") == "tombstone" {
			edited.messages[segments][i].Data = []byte(strings.Replace(string(m.Data), "mara", "nora", 1))
		}
	}
	r = verify(t, edited, o)
	require.Empty(t, r.Purged)
	require.Contains(t, lines(r.Findings), "edited event")
	require.Contains(t, lines(r.Findings), "erased event")

	forged := more.clone()
	tombstone := forged.messages[segments][slices.IndexFunc(forged.messages[segments], func(m proof.Message) bool { return m.Header.Get("ce-id") == "tombstone" })]
	tombstone.Data = []byte(`{"by":"x","why":"y","erased":[{"stream":"SIGNALS","messages":1,"sequences":"1-100000"}]}`)
	forged.add(segments, tombstone)
	r = verify(t, forged, o)
	require.Contains(t, lines(r.Findings), "forged event")
	require.Contains(t, lines(r.Findings), "erased event", "a tombstone in no batch accounts for nothing")
}

// What the stages derive after a purge rests on nothing from before it, also after they
// start again.
func TestAPurgedGroupBeginsAnew(t *testing.T) {
	s := newSystem(t, true)
	s.feed(60)
	s.purge()
	s.publish("s1", "t1") // one that was seen before the purge
	s.turns++
	s.feed(0)
	all := s.copy()
	var last proof.Message
	for _, m := range all.messages[segments] {
		if strings.HasPrefix(m.Subject, "turn.") || strings.Contains(m.Subject, "turn.evaluated") && strings.HasSuffix(m.Subject, ".s1.s1") {
			last = m
		}
	}
	require.Contains(t, string(last.Data), `"t1"`)
	require.Empty(t, verify(t, all, s.options()).Findings)
}

// A purge that was interrupted is finished under the tombstone that is there: nothing is
// left, and the tombstone is there once.
func TestAnInterruptedPurgeIsFinished(t *testing.T) {
	s := newSystem(t, true)
	s.feed(30)
	ctx := context.Background()
	b := s.opened["dispatcher"]
	s.entomb("announced", nil)
	found, err := erase.Find(ctx, b, "s1", "announced")
	require.NoError(t, err)
	left, more := s.left(found)
	require.Empty(t, left, "no tombstone names anything yet")
	require.True(t, more)
	r := requireClean(t, live{b}, s.options())
	require.Empty(t, r.Purged)
	require.Len(t, r.Announced, 1)
	require.Regexp(t, `^s1: "mara" announced its purge \("request 4711"\) at SEGMENTS \d+, `+
		`nothing is erased; it is running, or was interrupted: then run .scaffoldwatch purge s1. again$`, r.Announced[0].String())
	var erased []runevents.Erasure
	total := 0
	for _, of := range found {
		erased = append(erased, of.Erasure)
		total += of.Messages
	}
	s.entomb("tombstone", erased)
	for kept := total - 3; kept > 0; kept /= 3 { // killed again and again
		killed, kill := context.WithCancel(ctx)
		done := 0
		err = erase.Remove(killed, b, found, func() {
			if done++; done == 2 {
				kill()
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		s.broker.Restart()
		s.connect()
		b = s.opened["dispatcher"]
		found, err = erase.Find(ctx, b, "s1", "")
		require.NoError(t, err)
		found, more = s.left(found)
		require.NotEmpty(t, found)
		require.False(t, more)
		rest, err := erase.Unfinished(ctx, b)
		require.NoError(t, err)
		require.Len(t, rest, 1)
		require.Equal(t, "s1", rest[0].Group)
		require.Equal(t, found, rest[0].Left, "from the record alone")
	}
	finished := 0
	require.NoError(t, erase.Finish(ctx, b, func(group string, messages int) {
		require.Equal(t, "s1", group)
		finished += messages
	}))
	for _, of := range found {
		finished -= of.Messages
	}
	require.Zero(t, finished, "all that was left is removed")
	require.NoError(t, erase.Finish(ctx, b, func(group string, messages int) { t.Error("nothing is left of", group) }))
	found, err = erase.Find(ctx, b, "s1", "")
	require.NoError(t, err)
	for _, of := range found {
		require.Zero(t, of.Events, "%s", of.Stream)
	}
	r = requireClean(t, live{b}, s.options())
	require.Len(t, r.Purged, 1)
	require.Empty(t, r.Announced)
	require.Equal(t, erased, r.Purged[0].Erased)
	r.Purged[0].Left = erased[:1]
	require.Regexp(t, `^s1: not erased yet by "mara" .*: \d+ of INPUT left; it is running, or was interrupted: .*; chain intact$`,
		r.Purged[0].String())
	s.publish("s1", "later")
	s.turns -= 30
	s.turns++
	s.feed(1)
	found, err = erase.Find(ctx, b, "s1", "")
	require.NoError(t, err)
	left, more = s.left(found)
	require.Empty(t, left)
	require.True(t, more, "what came later needs a tombstone of its own")
	require.NoError(t, erase.Finish(ctx, b, func(group string, messages int) { t.Error("what came later is not meant") }))
}

// left returns what the tombstones of s1 name of what was found, and whether there is more.
func (s *system) left(found []erase.Belongings) ([]erase.Belongings, bool) {
	s.t.Helper()
	tombstones, err := read.Tombstones(context.Background(), s.opened["dispatcher"], segments, "s1")
	require.NoError(s.t, err)
	left, more, err := erase.Left(found, tombstones)
	require.NoError(s.t, err)
	return left, more
}

// A stream that was made again after the tombstone counts from 1: what has the numbers of erased messages
// there is not erased (AU-40).
func TestATombstoneMeansNoLaterStream(t *testing.T) {
	s := newSystem(t, true)
	s.feed(30)
	s.purge()
	ctx, b := context.Background(), s.opened["dispatcher"]
	input, err := b.JetStream().Stream(ctx, "INPUT")
	require.NoError(t, err)
	config := input.CachedInfo().Config
	require.NoError(t, b.JetStream().DeleteStream(ctx, "INPUT"))
	_, err = b.JetStream().CreateStream(ctx, config)
	require.NoError(t, err)
	for n := range 9 {
		s.publish("s1", "again"+string(rune('0'+n)))
	}
	found, err := erase.Find(ctx, b, "s1", "")
	require.NoError(t, err)
	require.Equal(t, "INPUT", found[0].Stream)
	left, more := s.left(found)
	require.Empty(t, left)
	require.True(t, more)
}
