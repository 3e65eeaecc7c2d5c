package chain_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const partitions = 3

var stages = []string{"ingest", "evaluator", "dispatcher"}

// system is a broker with three stages, each with its own key.
type system struct {
	t       testing.TB
	broker  *natstest.Broker
	layout  topology.Topology
	keys    map[string]nkeys.KeyPair
	trusted map[string][]string
	opened  map[string]*natsengine.Broker
	turns   int

	forgotten int // turns that have aged out or that nobody waits for
}

func newSystem(t testing.TB, signed bool) *system {
	t.Helper()
	return newSystemOf(t, signed, topology.Topology{Partitions: partitions})
}

// newSystemOf makes a system with streams of its own.
func newSystemOf(t testing.TB, signed bool, layout topology.Topology) *system {
	t.Helper()
	s := &system{t: t, broker: natstest.Run(t), layout: layout, keys: map[string]nkeys.KeyPair{}, trusted: map[string][]string{}}
	for _, stage := range stages {
		if signed {
			key := newKey(t)
			s.keys[stage], s.trusted[stage] = key, []string{public(t, key)}
		}
	}
	s.connect()
	return s
}

func newKey(t testing.TB) nkeys.KeyPair {
	t.Helper()
	key, err := nkeys.CreateAccount()
	require.NoError(t, err)
	return key
}

func public(t testing.TB, key nkeys.KeyPair) string {
	t.Helper()
	p, err := key.PublicKey()
	require.NoError(t, err)
	return p
}

// connect opens a broker for each stage, with its key.
func (s *system) connect() {
	s.t.Helper()
	s.opened = map[string]*natsengine.Broker{}
	for _, stage := range stages {
		b, err := natsengine.Open(s.broker.Conn, s.layout, natsengine.Keys{Own: s.keys[stage], Trusted: s.trusted}, nil)
		require.NoError(s.t, err)
		_, err = topology.ProvisionOwn(context.Background(), b.JetStream(), b.Topology())
		require.NoError(s.t, err)
		s.opened[stage] = b
	}
}

// feed publishes turns and runs the stages until all of them are evaluated.
func (s *system) feed(turns int) {
	s.t.Helper()
	stop := s.start()
	for range turns {
		s.turns++
		s.publish(fmt.Sprintf("s%d", s.turns%7), fmt.Sprintf("t%d", s.turns))
		time.Sleep(time.Millisecond)
	}
	want := s.turns - s.forgotten
	require.Eventually(s.t, func() bool {
		n := 0
		err := read.All(context.Background(), s.opened["dispatcher"], read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions}, func(read.Accepted) error { n++; return nil })
		return err == nil && n >= want
	}, 5*time.Minute, 50*time.Millisecond)
	stop()
}

// start runs one instance of each stage until it is stopped.
func (s *system) start() (stop func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, len(stages))
	for _, stage := range stages {
		source, err := natssource.Of(s.opened[stage], stage)
		require.NoError(s.t, err)
		sink, err := commit.Sink(s.opened[stage], stage)
		require.NoError(s.t, err)
		runner := &engine.Runner[*enginetest.State]{
			Machine: enginetest.Tally{Name: stage}, Identity: step.Identity{RulesVersion: "1", ConfigHash: "c"}, Source: source, Sink: sink,
			Options: engine.Options{Partitions: partitions, MaxInputs: 4, MinPause: time.Millisecond, MaxPause: 20 * time.Millisecond},
		}
		go func() { done <- runner.Run(ctx) }()
	}
	return func() {
		cancel()
		for range stages {
			require.NoError(s.t, <-done)
		}
	}
}

func (s *system) publish(session, id string) {
	s.t.Helper()
	s.publishTurn(&sessionevents.Turn{Session: session, TurnID: id, Format: "markdown", Text: "text " + id}, id)
}

func (s *system) publishTurn(turn *sessionevents.Turn, id string) {
	s.t.Helper()
	ev := events.Event{
		ID: id, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: turn.Session, Time: time.Unix(1_700_000_000, 0).UTC(), Data: turn,
	}
	subject, err := subjects.PublishedSubject(ev)
	require.NoError(s.t, err)
	header, data, err := events.EncodeBinary(ev)
	require.NoError(s.t, err)
	_, err = s.opened["ingest"].JetStream().PublishMsg(context.Background(), &nats.Msg{Subject: subject, Header: header, Data: data})
	require.NoError(s.t, err)
}

// options returns those of an auditor who trusts the keys of the system.
func (s *system) options() chain.Options {
	return chain.Options{Partitions: partitions, Keys: chain.Keys{Trusted: s.trusted}}
}

// copy returns the streams as they are now.
func (s *system) copy() *copied {
	s.t.Helper()
	c := &copied{streams: map[events.Stream]proof.Stream{}, messages: map[events.Stream][]proof.Message{}}
	live := live{s.opened["dispatcher"]}
	names := append([]events.Stream{events.StreamDeadLetter, "KV_RULES", events.StreamInput}, chain.Streams...)
	for _, name := range slices.Backward(names) { // as verification does beside a live system
		found, err := live.Stream(context.Background(), name)
		require.NoError(s.t, err)
		c.streams[name] = found
	}
	for _, name := range names {
		found := c.streams[name]
		require.NoError(s.t, live.Each(context.Background(), name, found.Last, func(m proof.Message) error {
			c.messages[name] = append(c.messages[name], m)
			return nil
		}))
		after, err := live.Stream(context.Background(), name)
		require.NoError(s.t, err)
		found.Now = after.Now // messages can have aged out until then
		c.streams[name] = found
	}
	return c
}

// live is the source of a broker.
type live struct{ broker *natsengine.Broker }

func (l live) Stream(ctx context.Context, name events.Stream) (proof.Stream, error) {
	return read.LookUp(ctx, l.broker, name)
}

func (l live) Each(ctx context.Context, name events.Stream, through uint64, take func(proof.Message) error) error {
	return read.Each(ctx, l.broker, name, through, take)
}

// copied is a copy of the streams, to attack.
type copied struct {
	streams  map[events.Stream]proof.Stream
	messages map[events.Stream][]proof.Message
}

func (c *copied) Stream(_ context.Context, name events.Stream) (proof.Stream, error) {
	return c.streams[name], nil
}

func (c *copied) Each(_ context.Context, name events.Stream, through uint64, take func(proof.Message) error) error {
	for _, m := range c.messages[name] {
		if m.Sequence > through {
			break
		}
		if err := take(m); err != nil {
			return err
		}
	}
	return nil
}

func (c *copied) clone() *copied {
	out := &copied{streams: maps.Clone(c.streams), messages: map[events.Stream][]proof.Message{}}
	for name, list := range c.messages {
		for _, m := range list {
			m.Data = bytes.Clone(m.Data)
			header := nats.Header{}
			for k, v := range m.Header {
				header[k] = slices.Clone(v)
			}
			m.Header = header
			out.messages[name] = append(out.messages[name], m)
		}
	}
	return out
}

// batch is one batch of a copy: indices into the messages of its stream.
type batch struct {
	stream    events.Stream
	partition int
	first     int // of its messages
	end       int // of its checkpoint
	at        uint64
}

// batches returns the batches of a partition that have outputs.
func (c *copied) batches(name events.Stream, partition int) (all []batch) {
	for i, m := range c.messages[name] {
		p, isCheckpoint := proof.Partition(m.Subject)
		if !isCheckpoint || p != partition {
			continue
		}
		first := i
		for first > 0 && !strings.HasPrefix(c.messages[name][first-1].Subject, "ckpt.") {
			first--
		}
		all = append(all, batch{name, partition, first, i, m.Sequence})
	}
	return all
}

// remove deletes messages as a broker does: sequences of the others do not change.
func (c *copied) remove(name events.Stream, gone func(proof.Message) bool) {
	c.messages[name] = slices.DeleteFunc(c.messages[name], gone)
}

// cutOut removes a batch and moves what follows up, as when a stream is written again
// without it.
func (c *copied) cutOut(b batch) {
	list := c.messages[b.stream]
	by := b.at - list[b.first].Sequence + 1
	for i := b.end + 1; i < len(list); i++ {
		list[i].Sequence -= by
	}
	c.messages[b.stream] = slices.Delete(list, b.first, b.end+1)
	s := c.streams[b.stream]
	s.Last -= by
	c.streams[b.stream] = s
}

// add appends a message with the next sequence.
func (c *copied) add(name events.Stream, m proof.Message) uint64 {
	s := c.streams[name]
	s.Last++
	m.Sequence, m.Time = s.Last, s.Now
	c.streams[name] = s
	c.messages[name] = append(c.messages[name], m)
	return m.Sequence
}

// verify also examines each message alone, so that each signature is checked, and in small
// chunks, which end within batches: the findings are the same.
func verify(t testing.TB, from chain.Source, o chain.Options) *chain.Report {
	t.Helper()
	r, err := chain.Verify(context.Background(), from, o)
	require.NoError(t, err)
	for _, o.Chunk = range []int{1, 7} {
		again, err := chain.Verify(context.Background(), from, o)
		require.NoError(t, err)
		require.Equal(t, r.Findings, again.Findings, "in chunks of %d", o.Chunk)
	}
	return r
}
