package chain_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

func requireClean(t *testing.T, from chain.Source, o chain.Options) *chain.Report {
	t.Helper()
	r := verify(t, from, o)
	require.True(t, r.Verified, "%s", lines(r.Findings))
	return r
}

// What happens to an honest system is no fault, also with an anchor of each step before.
func TestLegitimateHistoriesVerifyClean(t *testing.T) {
	s := newSystemOf(t, true, kept(time.Hour))
	o := s.options()
	from := live{s.opened["dispatcher"]}
	anchor := func() {
		t.Helper()
		o.Anchors = append(o.Anchors, chain.NewAnchor(requireClean(t, from, o), time.Now()))
	}
	step := func(name string, does func(t *testing.T)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			does(t)
			requireClean(t, from, o)
		})
		anchor()
	}
	step("empty streams", func(*testing.T) {})
	step("one session, idle partitions", func(*testing.T) { s.publish("s1", "first"); s.turns++; s.feed(0) })
	step("several sessions", func(*testing.T) { s.feed(30) })
	step("restart of the stages", func(*testing.T) { s.feed(10) })
	step("restart of the broker", func(*testing.T) { s.broker.Restart(); s.feed(10) })
	step("stages that start without input", func(*testing.T) { s.feed(0) })
	step("a repeated input", func(*testing.T) { s.publish("s1", "t1"); s.feed(5) })
	step("snapshots that replace others", func(*testing.T) { s.feed(80) })
	for _, stage := range stages {
		step("rotation of the key of the "+stage, func(t *testing.T) {
			rotate(t, s, stage)
			o.Keys.Trusted = s.trusted
			from.broker = s.opened["dispatcher"]
		})
	}
	step("work after the rotations", func(*testing.T) { s.feed(30) })
	step("a key rotated and revoked", func(t *testing.T) {
		old := public(t, s.keys["ingest"])
		rotate(t, s, "ingest")
		s.feed(5)
		o.Keys.Revoked = map[string]time.Time{old: time.Now()}
		o.Keys.Trusted = s.trusted
		from.broker = s.opened["dispatcher"]
	})
	step("verification beside a live system", func(t *testing.T) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.feed(60)
		}()
		for {
			requireClean(t, from, o)
			select {
			case <-done:
				return
			default:
			}
		}
	})

	whole := s.copy()
	t.Run("a copy with all anchors", func(t *testing.T) {
		r := requireClean(t, whole, o)
		require.Equal(t, r.Anchors.Heads, r.Anchors.Proven)
		require.Greater(t, r.Anchors.Heads, 50)
	})
	for _, share := range []int{10, 50, 90} {
		t.Run(fmt.Sprintf("%d%% aged out", share), func(t *testing.T) {
			r := requireClean(t, aged(whole.clone(), share), o)
			require.NotEmpty(t, r.Limits)
		})
	}
	t.Run("all of it aged out", func(t *testing.T) { requireClean(t, aged(whole.clone(), 100), o) })
	t.Run("aged out, but snapshots and their checkpoints kept", func(t *testing.T) {
		c := aged(whole.clone(), 60)
		for _, name := range chain.Streams {
			for i, m := range whole.messages[name][:len(whole.messages[name])/10] {
				if _, isCheckpoint := proof.Partition(m.Subject); isCheckpoint {
					c.messages[name] = slices.Insert(c.messages[name], min(i, len(c.messages[name])), m)
				}
			}
			slices.SortFunc(c.messages[name], func(a, b proof.Message) int { return int(a.Sequence) - int(b.Sequence) })
		}
		requireClean(t, c, o)
	})
	t.Run("an anchor older than what is kept", func(t *testing.T) {
		r := requireClean(t, aged(whole.clone(), 50), o)
		require.Positive(t, r.Anchors.Aged)
	})
	t.Run("INPUT aged out", func(t *testing.T) {
		c := whole.clone()
		input := c.streams[events.StreamInput]
		input.First, input.MaxAge, input.Kept = input.Last+1, time.Hour, 0
		input.Created = input.Now.Add(-2 * input.MaxAge)
		c.streams[events.StreamInput], c.messages[events.StreamInput] = input, nil
		r := requireClean(t, c, o)
		require.Contains(t, fmt.Sprint(r.Limits), "can no longer be replayed")
	})
	t.Run("INPUT younger than its age, without its beginning", func(t *testing.T) {
		c := whole.clone()
		input := c.streams[events.StreamInput]
		input.First, input.MaxAge = 2, time.Hour
		c.streams[events.StreamInput] = input
		limits := fmt.Sprint(requireClean(t, c, o).Limits)
		require.Contains(t, limits, "INPUT: the messages before 2 are gone, although the stream is younger than its age (1h0m0s)")
		require.NotContains(t, limits, "have aged out")
	})
}

// kept returns a topology whose stages' streams have an age.
func kept(age time.Duration) topology.Topology {
	t := topology.Topology{Partitions: partitions, Ages: map[events.Stream]time.Duration{}}
	for _, name := range chain.Streams {
		t.Ages[name] = age
	}
	return t
}

// rotate replaces a stage's key as the command does.
func rotate(t *testing.T, s *system, stage string) {
	t.Helper()
	next := newKey(t)
	trusted := map[string][]string{}
	for of, keys := range s.trusted {
		trusted[of] = slices.Clone(keys)
	}
	trusted[stage] = append(trusted[stage], public(t, next))
	s.trusted = trusted
	s.connect()
	n, err := commit.NameSuccessor(context.Background(), s.opened[stage], stage, public(t, next))
	require.NoError(t, err)
	require.Equal(t, partitions, n)
	again, err := commit.NameSuccessor(context.Background(), s.opened[stage], stage, public(t, next))
	require.NoError(t, err)
	require.Equal(t, n, again, "a rotation that was interrupted can be repeated")
	sink, err := commit.Sink(s.opened[stage], stage)
	require.NoError(t, err)
	_, err = sink.Open(context.Background(), 0)
	require.ErrorContains(t, err, "was replaced by", "the old key no longer starts")
	s.keys[stage] = next
	s.connect()
	s.feed(3)
}

// aged makes the first share of the messages of each stream old and removes them, as the
// age of a stream does.
func aged(c *copied, percent int) *copied {
	for _, name := range chain.Streams {
		list := c.messages[name]
		keep := len(list) * percent / 100
		found := c.streams[name]
		found.MaxAge = time.Hour
		found.Now = list[len(list)-1].Time.Add(2 * time.Hour)
		if keep < len(list) {
			found.Now = list[keep].Time.Add(time.Hour - 1)
		}
		c.streams[name] = found
		c.messages[name] = list[keep:]
	}

	return c
}

func TestRevokedKeyIsRejectedByReaders(t *testing.T) {
	s := newSystem(t, true)
	s.feed(10)
	o := s.options()
	o.Keys.Revoked = map[string]time.Time{public(t, s.keys["dispatcher"]): time.Now().Add(-time.Hour)}
	r := verify(t, live{s.opened["dispatcher"]}, o)
	require.Equal(t, chain.RevokedKey, r.Findings[0].Kind)
	b, err := natsengine.Open(s.broker.Conn, s.layout, natsengine.Keys{Trusted: s.trusted, Revoked: o.Keys.Revoked}, nil)
	require.NoError(t, err)
	n := 0
	require.NoError(t, read.All(context.Background(), b, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions}, func(read.Accepted) error { n++; return nil }))
	require.Zero(t, n, "readers of the live system reject it too")
}
