package chain_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
)

func TestLiveSystemVerifiesClean(t *testing.T) {
	s := newSystem(t, true)
	s.feed(60)
	r := verify(t, live{s.opened["dispatcher"]}, s.options())
	require.Empty(t, r.Findings)
	require.True(t, r.Verified)
	require.Equal(t, 180, r.Events, "60 turns in three streams")
	require.Len(t, r.Heads(), 3*partitions)
	of := verify(t, s.copy(), s.options())
	require.Equal(t, r.Heads(), of.Heads(), "a copy is the same")
	require.Empty(t, of.Findings)
}

// What an administrator of the broker can do to a live stream is found there too.
func TestTamperingWithALiveSystemIsFound(t *testing.T) {
	s := newSystem(t, true)
	s.feed(60)
	from, ctx := live{s.opened["dispatcher"]}, context.Background()
	js := s.opened["dispatcher"].JetStream()
	report := verify(t, from, s.options())
	require.True(t, report.Verified)
	anchor := chain.NewAnchor(report, time.Now())
	all := s.copy()
	o := s.options()

	_, err := js.Publish(ctx, fmt.Sprintf("turn.evaluated.%d.s1.s1", busy), []byte("{}"))
	require.NoError(t, err)
	forged := all.streams[signals].Last + 1
	stream, err := js.Stream(ctx, string(segments))
	require.NoError(t, err)
	event := all.messages[segments][all.batches(segments, busy)[2].first].Sequence
	require.NoError(t, stream.SecureDeleteMsg(ctx, event))
	last, err := js.Stream(ctx, string(decisions))
	require.NoError(t, err)
	tail := all.streams[decisions].Last
	require.NoError(t, last.DeleteMsg(ctx, tail))
	o.Anchors = []chain.Anchor{anchor}
	r := verify(t, from, o)
	var found []string
	for _, f := range r.Findings {
		found = append(found, placeOf(f).String())
	}
	require.Contains(t, found, place{chain.ErasedEvent, segments, busy, event}.String())
	require.Contains(t, found, place{chain.TailCut, decisions, chain.WholeStream, tail}.String())
	where := signals
	if !slices.Contains(found, place{chain.ForgedEvent, signals, busy, forged}.String()) {
		where, forged = decisions, tail+1
	}
	require.Contains(t, found, place{chain.ForgedEvent, where, busy, forged}.String())

	require.NoError(t, js.DeleteStream(ctx, string(decisions)))
	r = verify(t, from, o)
	require.Contains(t, lines(r.Findings), "stream gone")
	s.connect() // provisions it again
	r = verify(t, from, o)
	require.Contains(t, lines(r.Findings), "DECISIONS: recreated stream")
	require.Contains(t, lines(r.Findings), "partition gone")
}
