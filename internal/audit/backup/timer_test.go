package backup_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

// A timer that waited when the backup was made expires in the restored system, and INPUT
// copies it once. One that expired before may be copied again, which its id tells.
func TestTimersWaitOnInARestoredSystem(t *testing.T) {
	var next *system
	for wait := 4 * time.Second; next == nil; wait *= 2 { // a busy machine needs longer for a backup and a restore
		next = restoredBefore(t, wait)
	}
	require.Eventually(t, func() bool {
		return slices.Contains(expired(next), "late")
	}, time.Minute, 50*time.Millisecond)
	time.Sleep(300 * time.Millisecond)
	// The broker copies again what TIMERS holds.
	late := slices.DeleteFunc(expired(next), func(name string) bool { return name == "early" })
	require.Equal(t, []string{"late"}, late)
}

// restoredBefore returns a system restored from the backup of one whose timer expires after a wait, or nil if
// that took longer.
func restoredBefore(t *testing.T, wait time.Duration) *system {
	t.Helper()
	s := recorded(t, 10)
	set := func(name string, at time.Time) {
		m := nats.NewMsg("timer.at.ingest.s1.s1." + name)
		m.Header.Set("Nats-Schedule", "@at "+at.UTC().Format(time.RFC3339Nano))
		m.Header.Set("Nats-Schedule-Target", "timer.expired.s1.s1")
		m.Header.Set("Nats-TTL", "never")
		m.Data = []byte(name)
		_, err := s.broker.JetStream().PublishMsg(t.Context(), m)
		require.NoError(t, err)
	}
	set("early", time.Now().Add(300*time.Millisecond))
	require.Eventually(t, func() bool { return len(expired(s)) == 1 }, time.Minute, 20*time.Millisecond)
	late := time.Now().Add(wait)
	set("late", late)
	dir := t.TempDir()
	s.backup(dir)
	next := s.restored(dir)
	names := expired(next)
	if !time.Now().Before(late) {
		return nil
	}
	require.Equal(t, []string{"early"}, slices.Compact(names))
	return next
}

// expired returns the timers of INPUT.
func expired(of *system) (names []string) {
	store, err := read.LookUp(of.t.Context(), of.broker, "INPUT")
	require.NoError(of.t, err)
	for sequence := store.First; sequence <= store.Last; sequence++ {
		stream, err := of.broker.JetStream().Stream(of.t.Context(), "INPUT")
		require.NoError(of.t, err)
		m, err := stream.GetMsg(of.t.Context(), sequence)
		require.NoError(of.t, err)
		if m.Header.Get("Nats-Scheduler") != "" || len(m.Data) < 20 {
			names = append(names, string(m.Data))
		}
	}
	return names
}

// A restore whose connection is gone in the middle, as that of a killed process is, can be
// repeated although the broker still waits for the rest.
func TestARestoreThatLostItsConnectionCanBeRepeated(t *testing.T) {
	s := recorded(t, 300)
	dir := t.TempDir()
	s.backup(dir)
	b, next := s.opened(dir), newSystem(t, s)
	own := next.own.Connect("killed")
	killed, err := natsengine.Open(own, topology.Topology{Partitions: partitions}, natsengine.Keys{}, nil)
	require.NoError(t, err)
	err = b.Restore(t.Context(), killed, time.Now(), func(stream string, _, _ uint64) { own.Close() })
	require.Error(t, err)
	require.NoError(t, b.Restore(t.Context(), next.broker, time.Now(), nil))
	report := next.verify()
	require.True(t, report.Verified, report.Findings)
	require.Equal(t, s.decided(), next.decided())
}
