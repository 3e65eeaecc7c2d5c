package backup_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/transfer"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
)

// onCluster returns a system whose streams are on three servers.
func onCluster(t *testing.T, of *system) (*system, *natstest.Cluster) {
	t.Helper()
	c := natstest.RunCluster(t)
	return newSystemOn(t, of, &natstest.Broker{Conn: c.Connect()}, topology.Topology{Partitions: partitions, Replicas: 3}), c
}

// replicated requires that each restored stream has the replicas of its new system.
func (s *system) replicated(want int) {
	s.t.Helper()
	for _, name := range transfer.Streams(s.broker) {
		stream, err := s.broker.JetStream().Stream(context.Background(), name)
		require.NoError(s.t, err)
		require.Equal(s.t, want, stream.CachedInfo().Config.Replicas, name)
	}
}

// load publishes turns, 100 a second, until it is stopped. A turn that no leader took is sent again
// under the same id, as publishers do.
func (s *system) load() (stop func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			s.turns++
			for m := s.message(s.turns); ; {
				try, end := context.WithTimeout(context.Background(), time.Second)
				_, err := s.broker.JetStream().PublishMsg(try, m)
				end()
				if err == nil {
					break
				}
			}
			<-tick.C
		}
	}()
	return func() { cancel(); <-done }
}

// A cluster under load is backed up while a server is lost, and again when it is back. The backup has
// no trace of the cluster: it is restored into another, of which a server is lost meanwhile, and into
// a single server. Both go on as a system decides that was never disturbed (AU-41).
func TestBackupOfAClusterThatLosesAServer(t *testing.T) {
	proofs.NeedsFull(t, "two clusters, a round takes half a minute")
	t.Parallel()
	for round := range 2 {
		s, cluster := onCluster(t, nil)
		stop, unload := s.run(), s.load()
		require.Eventually(t, func() bool { return count(s.decided()) >= 100 }, time.Minute, 20*time.Millisecond)
		dir := t.TempDir()
		lost := time.AfterFunc(time.Duration(20+30*round)*time.Millisecond, func() { cluster.Stop(round % 3) })
		s.backup(dir)
		if lost.Stop() {
			cluster.Stop(round % 3)
		}
		s.backup(dir) // the streams elect leaders meanwhile
		cluster.Start(round % 3)
		s.backup(dir)
		unload()
		s.await(s.turns)
		stop()
		s.backup(dir)
		decided := s.decided()

		undisturbed := newSystem(t, s)
		stop = undisturbed.run()
		undisturbed.publish(s.turns)
		undisturbed.await(s.turns)
		require.Equal(t, undisturbed.decided(), decided)
		undisturbed.publish(20)
		undisturbed.await(s.turns + 20)
		stop()

		other, second := onCluster(t, s)
		back := make(chan struct{})
		time.AfterFunc(time.Duration(50+50*round)*time.Millisecond, func() {
			defer close(back)
			second.Restart(round % 3)
		})
		err := s.opened(dir).Restore(t.Context(), other.broker, time.Now(), nil)
		<-back
		for ; err != nil; err = s.opened(dir).Restore(t.Context(), other.broker, time.Now(), nil) { // as an operator: again
			require.NoError(t, t.Context().Err())
			t.Log(err)
			time.Sleep(time.Second)
		}
		single := s.restored(dir)
		for _, next := range []*system{other, single} {
			next.replicated(max(1, next.layout.Replicas))
			require.Equal(t, decided, next.decided())
			next.turns = s.turns
			stop := next.run()
			next.publish(20)
			next.await(next.turns)
			stop()
			require.Equal(t, undisturbed.decided(), next.decided(), "it goes on as if nothing had been")
			report := next.verify()
			require.True(t, report.Verified, report.Findings)
		}
	}
}

// Without a quorum a backup fails and leaves the one that is there (AU-41); one that runs when the quorum
// comes back succeeds.
func TestBackupOfAClusterWithoutAQuorum(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers")
	}
	t.Parallel()
	s, cluster := onCluster(t, nil)
	stop := s.run()
	s.publish(20)
	s.await(20)
	stop()
	dir := t.TempDir()
	s.backup(dir)
	// Whoever is left alone refuses, whether it leads the streams (and has not noticed yet) or follows: it describes
	// them even when nobody leads them any more.
	stopped := []int{0, 1}
	for _, i := range stopped {
		cluster.Stop(i)
	}
	manifest := filepath.Join(dir, "BACKUP")
	before := files(t, dir)[manifest]
	for range 4 {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := backup.Write(ctx, s.broker, dir, s.options())
		cancel()
		require.ErrorContains(t, err, "quorum")
	}
	require.Equal(t, before, files(t, dir)[manifest])
	s.opened(dir)

	done := make(chan error, 1)
	go func() {
		_, err := backup.Write(context.Background(), s.broker, dir, s.options())
		done <- err
	}()
	time.Sleep(time.Second)
	cluster.Start(stopped...)
	require.NoError(t, <-done, "its questions are asked again")
	s.opened(dir)
}
