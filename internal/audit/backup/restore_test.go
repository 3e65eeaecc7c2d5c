package backup_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

func unpacked(t testing.TB, name string) string {
	t.Helper()
	packed, err := os.ReadFile(name)
	require.NoError(t, err)
	dec, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer dec.Close()
	data, err := dec.DecodeAll(packed, nil)
	require.NoError(t, err)
	return string(data)
}

// A restored system has the same messages at the same sequences and times, and continues.
func TestARestoredSystemIsTheSameAndContinues(t *testing.T) {
	s := recorded(t, 200)
	anchor := chain.NewAnchor(s.verify(), time.Now())
	dir := t.TempDir()
	s.backup(dir)
	next := s.restored(dir)
	was, is := s.verify(), next.verify(anchor)
	require.True(t, is.Verified, is.Findings)
	require.Equal(t, is.Anchors.Heads, is.Anchors.Proven)
	require.Equal(t, was.Heads(), is.Heads())
	for i := range was.Streams {
		require.Equal(t, was.Streams[i].First, is.Streams[i].First)
		require.Equal(t, was.Streams[i].Last, is.Streams[i].Last)
		require.Equal(t, was.Streams[i].Messages, is.Streams[i].Messages)
		require.Equal(t, was.Streams[i].From, is.Streams[i].From)
		require.Equal(t, was.Streams[i].Created, is.Streams[i].Created)
	}
	for _, x := range []*system{s, next} {
		x.turns = 200
		stop := x.run()
		x.publish(100)
		x.await(300)
		stop()
	}
	require.Equal(t, s.decided(), next.decided())
	one, err := s.broker.Extent(t.Context(), "dispatcher")
	require.NoError(t, err)
	other, err := next.broker.Extent(t.Context(), "dispatcher")
	require.NoError(t, err)
	require.NotEqual(t, one.Identity, other.Identity, "who has read further in the lost history notices")

	// A backup of a restored system is restored again.
	again := t.TempDir()
	next.backup(again)
	third := next.restored(again)
	report := third.verify(anchor)
	require.True(t, report.Verified, report.Findings)
	require.Equal(t, next.decided(), third.decided())
}

// An older backup restored over a newer history is found by an anchor, and said to be one.
func TestAnOlderBackupIsFoundByAnAnchor(t *testing.T) {
	s := recorded(t, 60)
	dir := t.TempDir()
	s.backup(dir)
	stop := s.run()
	s.publish(60)
	s.await(120)
	stop()
	anchor := chain.NewAnchor(s.verify(), time.Now())
	b, report, err := s.check(dir, anchor)
	require.NoError(t, err)
	later, other := b.Later(report, []chain.Anchor{anchor})
	require.Empty(t, other)
	require.Len(t, later, 3)
	require.Regexp(t, `^SEGMENTS: messages \d+ to \d+ came after the backup`, later[0])

	old := s.restored(dir).verify(anchor)
	require.False(t, old.Verified)
	require.Equal(t, chain.Restored, old.Findings[0].Kind)

	// An anchor of another history is something else.
	stranger := chain.NewAnchor(recorded(t, 80).verify(), time.Now())
	_, report, err = s.check(dir, stranger)
	require.NoError(t, err)
	_, other = b.Later(report, []chain.Anchor{stranger})
	require.NotEmpty(t, other)
}

func TestRestoreNeedsAnEmptySystem(t *testing.T) {
	s := recorded(t, 20)
	dir := t.TempDir()
	s.backup(dir)
	b := s.opened(dir)
	err := b.Restore(t.Context(), s.broker, time.Now(), nil)
	require.ErrorIs(t, err, backup.ErrNotEmpty)
	require.ErrorContains(t, err, "DECISIONS")
	require.Len(t, s.verify().Findings, 0, "it is unharmed")

	next := newSystem(t, s)
	_, err = topology.ProvisionOwn(t.Context(), next.broker.JetStream(), next.broker.Topology())
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	_, err = keep.Members(ctx, next.open("ingest"), "ingest", "one")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		running, err := keep.Running(t.Context(), next.broker)
		return err == nil && len(running) == 1
	}, time.Minute, 10*time.Millisecond)
	err = b.Restore(t.Context(), next.broker, time.Now(), nil)
	require.ErrorContains(t, err, "services run (ingest one)")
	stop()
	require.Eventually(t, func() bool {
		running, err := keep.Running(t.Context(), next.broker)
		return err == nil && len(running) == 0
	}, time.Minute, 50*time.Millisecond)
	stages := next.run() // `up`, which sends no heartbeats
	require.Eventually(t, func() bool {
		running, err := keep.Running(t.Context(), next.broker)
		return err == nil && len(running) == 1
	}, time.Minute, 10*time.Millisecond)
	require.ErrorContains(t, b.Restore(t.Context(), next.broker, time.Now(), nil), "services run (a reader of INPUT)")
	stages()
	require.Eventually(t, func() bool {
		running, err := keep.Running(t.Context(), next.broker)
		return err == nil && len(running) == 0
	}, time.Minute, 50*time.Millisecond)
	require.NoError(t, b.Restore(t.Context(), next.broker, time.Now(), nil), "streams without messages are no obstacle")
	require.Equal(t, s.decided(), next.decided())
}

// A restore that ends anywhere leaves a mark that keeps services out, and can be repeated.
func TestInterruptedRestoreCanBeRepeated(t *testing.T) {
	s := recorded(t, 300)
	dir := t.TempDir()
	s.backup(dir)
	b := s.opened(dir)
	next := newSystem(t, s)
	whole := false // a restore that was to be interrupted later than it takes
	for i := range proofs.Size(4, 12) {
		ctx, cancel := context.WithCancel(t.Context())
		left := 1 + i
		err := b.Restore(ctx, next.broker, time.Now(), func(string, uint64, uint64) {
			if left--; left == 0 {
				cancel()
			}
		})
		cancel()
		if whole = err == nil; whole {
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		mark, err := keep.RestoreMark(t.Context(), next.broker)
		require.NoError(t, err)
		require.Equal(t, b.ID(), mark)
	}
	if !whole {
		require.NoError(t, b.Restore(t.Context(), next.broker, time.Now(), nil))
	}
	mark, err := keep.RestoreMark(t.Context(), next.broker)
	require.NoError(t, err)
	require.Empty(t, mark)
	report := next.verify()
	require.True(t, report.Verified, report.Findings)
	require.Equal(t, s.decided(), next.decided())
}

// What an earlier restore sent becomes a stream while the next one sends: that one goes on.
func TestARestoreIsOvertakenByTheRestOfAnother(t *testing.T) {
	s := recorded(t, 300)
	dir := t.TempDir()
	s.backup(dir)
	next := newSystem(t, s)
	overtaken := map[string]bool{}
	require.NoError(t, s.opened(dir).Restore(t.Context(), next.broker, time.Now(), func(stream string, _, _ uint64) {
		if !overtaken[stream] {
			overtaken[stream] = true
			rest := jetstream.StreamConfig{Name: stream, Subjects: []string{"rest." + stream}}
			_, err := next.broker.JetStream().CreateStream(t.Context(), rest)
			require.NoError(t, err)
		}
	}))
	require.Contains(t, overtaken, "DECISIONS")
	report := next.verify()
	require.True(t, report.Verified, report.Findings)
	require.Equal(t, s.decided(), next.decided())
}
