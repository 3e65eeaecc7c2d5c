package chain_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/erase"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// holding lists the files below a directory that hold a text.
func holding(t *testing.T, dir, text string) (streams, logs []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the server is running: it creates and removes files meanwhile
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !bytes.Contains(data, []byte(text)) {
			return err
		}
		if strings.Contains(path, "_js_") { // the log of a Raft group
			logs = append(logs, path)
		} else {
			streams = append(streams, path)
		}
		return nil
	}))
	return streams, logs
}

// reconnect waits until the streams have leaders again.
func (s *system) reconnect(cluster *natstest.Cluster) {
	s.t.Helper()
	s.broker.Conn = cluster.Connect()
	require.Eventually(s.t, func() bool {
		b, err := natsengine.Open(s.broker.Conn, s.layout, natsengine.Keys{}, nil)
		if err == nil {
			_, err = topology.ProvisionOwn(context.Background(), b.JetStream(), b.Topology())
		}
		return err == nil
	}, 2*time.Minute, 200*time.Millisecond)
	s.connect()
}

// replicate sets the replicas of the streams that held a group, and waits for them.
func (s *system) replicate(found []erase.Belongings, replicas int) {
	s.t.Helper()
	js := s.opened["dispatcher"].JetStream()
	for _, of := range found {
		require.Eventually(s.t, func() bool {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			stream, err := js.Stream(ctx, of.Stream)
			if err != nil {
				return false
			}
			c := stream.CachedInfo().Config
			c.Replicas = replicas
			_, err = js.UpdateStream(ctx, c)
			return err == nil
		}, time.Minute, 200*time.Millisecond)
		require.Eventually(s.t, func() bool {
			stream, err := js.Stream(context.Background(), of.Stream)
			if err != nil {
				return false
			}
			cluster := stream.CachedInfo().Cluster
			return cluster.Leader != "" && len(cluster.Replicas) == replicas-1 &&
				!slices.ContainsFunc(cluster.Replicas, func(p *jetstream.PeerInfo) bool { return !p.Current })
		}, time.Minute, 200*time.Millisecond)
	}
}

// With three replicas a purge removes the bytes from the streams of every server. In the
// logs by which the servers agree they remain until the broker rewrites these, which a
// change of the replicas forces.
func TestAPurgeWithReplicas(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers")
	}
	cluster := natstest.RunCluster(t)
	s := &system{
		t: t, broker: &natstest.Broker{Conn: cluster.Connect()}, layout: topology.Topology{Partitions: partitions, Replicas: 3},
		keys: map[string]nkeys.KeyPair{}, trusted: map[string][]string{},
	}
	s.connect()
	const marker = "Zqxmarker" // in the ids, which the data of all streams holds
	s.publish("s1", marker)
	s.turns++
	s.feed(20)
	for i := range cluster.Dirs {
		require.Eventually(t, func() bool { // a follower may lag
			streams, logs := holding(t, cluster.Dirs[i], marker)
			return len(streams) >= 2 && len(logs) > 0
		}, time.Minute, 200*time.Millisecond, "the control: it is in the streams and the log of server %d", i)
	}

	ctx := context.Background()
	b := s.opened["dispatcher"]
	s.entomb("announced", nil)
	found, err := erase.Find(ctx, b, "s1", "announced")
	require.NoError(t, err)
	var erased []runevents.Erasure
	for _, of := range found {
		erased = append(erased, of.Erasure)
	}
	s.entomb("tombstone", erased)
	killed, kill := context.WithCancel(ctx)
	require.ErrorIs(t, erase.Remove(killed, b, found, kill), context.Canceled)
	cluster.Restart(1)
	s.reconnect(cluster)
	b = s.opened["dispatcher"]
	var left []erase.Belongings
	require.Eventually(t, func() bool { // a leader may have to be elected
		if left, err = erase.Find(ctx, b, "s1", ""); err == nil {
			var tombstones []read.Tombstone
			if tombstones, err = read.Tombstones(ctx, b, segments, "s1"); err == nil {
				left, _, err = erase.Left(left, tombstones)
			}
		}
		return err == nil && len(left) > 0
	}, time.Minute, 100*time.Millisecond)
	require.NoError(t, erase.Remove(ctx, b, left, func() {}))
	require.Eventually(t, func() bool {
		for i := range cluster.Dirs {
			if streams, _ := holding(t, cluster.Dirs[i], marker); len(streams) > 0 {
				return false
			}
		}
		return true
	}, time.Minute, 200*time.Millisecond, "each server has erased it")

	// One replica needs no log, and three again begin another.
	for _, replicas := range []int{1, 3} {
		s.replicate(found, replicas)
	}
	for i := range cluster.Dirs {
		require.Eventually(t, func() bool {
			streams, logs := holding(t, cluster.Dirs[i], marker)
			return len(streams) == 0 && len(logs) == 0
		}, time.Minute, 200*time.Millisecond, fmt.Sprint("server ", i))
	}
	cluster.Restart(2)
	s.reconnect(cluster)
	r := requireClean(t, live{s.opened["dispatcher"]}, s.options())
	require.Len(t, r.Purged, 1)
	require.Equal(t, erased, r.Purged[0].Erased)
}
