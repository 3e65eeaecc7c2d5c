package backup_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/sumdb/note"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
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

// system is a broker on which three stages with signing keys can run.
type system struct {
	t       testing.TB
	own     *natstest.Broker
	broker  *natsengine.Broker // without a key
	layout  topology.Topology
	keys    map[string]nkeys.KeyPair
	trusted map[string][]string
	turns   int
}

// newSystem starts a broker; keys are those of another system, or nil.
func newSystem(t testing.TB, of *system) *system {
	t.Helper()
	return newSystemOn(t, of, natstest.Run(t), topology.Topology{Partitions: partitions})
}

func newSystemOn(t testing.TB, of *system, own *natstest.Broker, layout topology.Topology) *system {
	t.Helper()
	s := &system{t: t, own: own, layout: layout, keys: map[string]nkeys.KeyPair{}, trusted: map[string][]string{}}
	if of != nil {
		s.keys, s.trusted = of.keys, of.trusted
	} else {
		for _, stage := range stages {
			key, err := nkeys.CreateAccount()
			require.NoError(t, err)
			public, err := key.PublicKey()
			require.NoError(t, err)
			s.keys[stage], s.trusted[stage] = key, []string{public}
		}
	}
	s.broker = s.open("")
	return s
}

func (s *system) open(stage string) *natsengine.Broker {
	s.t.Helper()
	b, err := natsengine.Open(s.own.Conn, s.layout, natsengine.Keys{Own: s.keys[stage], Trusted: s.trusted}, nil)
	require.NoError(s.t, err)
	return b
}

// run starts the stages; little memory makes them save states all the time.
func (s *system) run() (stop func()) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, len(stages))
	for _, stage := range stages {
		b := s.open(stage)
		_, err := topology.ProvisionOwn(ctx, b.JetStream(), b.Topology())
		require.NoError(s.t, err)
		source, err := natssource.Of(b, stage)
		require.NoError(s.t, err)
		sink, err := commit.Sink(b, stage)
		require.NoError(s.t, err)
		runner := &engine.Runner[*enginetest.State]{
			Machine: enginetest.Tally{Name: stage}, Identity: step.Identity{RulesVersion: "1", ConfigHash: "c"}, Source: source, Sink: sink,
			Options: engine.Options{Partitions: partitions, MaxInputs: 4, StateBytes: 1, SnapshotFirst: 1, SnapshotEvery: 2, MinPause: time.Millisecond, MaxPause: 20 * time.Millisecond},
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

// publish sends so many turns of a few sessions.
func (s *system) publish(turns int) {
	s.t.Helper()
	for range turns {
		s.turns++
		_, err := s.broker.JetStream().PublishMsg(context.Background(), s.message(s.turns))
		require.NoError(s.t, err)
	}
}

// message returns the n-th turn.
func (s *system) message(n int) *nats.Msg {
	session, id := fmt.Sprintf("s%d", n%7), fmt.Sprintf("t%d", n)
	ev := events.Event{
		ID: id, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: session, Time: time.Unix(1_700_000_000, 0).UTC(),
		Data: &sessionevents.Turn{Session: session, TurnID: id, Format: "markdown", Text: "text " + id},
	}
	subject, err := subjects.PublishedSubject(ev)
	if err != nil {
		panic(err)
	}
	header, data, err := events.EncodeBinary(ev)
	if err != nil {
		panic(err)
	}
	nats.Header(header).Set(jetstream.MsgIDHeader, id)
	return &nats.Msg{Subject: subject, Header: header, Data: data}
}

// decided returns the decisions by partition, as lines.
func (s *system) decided() [partitions][]string {
	var lines [partitions][]string
	err := read.All(context.Background(), s.broker, read.Options{Stage: "dispatcher", Partition: natsengine.AllPartitions}, func(a read.Accepted) error {
		lines[a.Partition] = append(lines[a.Partition], a.Subject+" "+a.Input.Event.ID+" "+string(a.Data))
		return nil
	})
	require.NoError(s.t, err)
	return lines
}

func count(lines [partitions][]string) (n int) {
	for _, l := range lines {
		n += len(l)
	}
	return n
}

// await waits until so many decisions were made.
func (s *system) await(n int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return count(s.decided()) >= n }, 5*time.Minute, 100*time.Millisecond)
}

// recorded returns a system that decided on so many turns and rests.
func recorded(t testing.TB, turns int) *system {
	s := newSystem(t, nil)
	stop := s.run()
	s.publish(turns)
	s.await(turns)
	stop()
	return s
}

func (s *system) options() backup.Options {
	signer, err := chain.Signer(s.keys["ingest"])
	require.NoError(s.t, err)
	return backup.Options{Keys: chain.Keys{Trusted: s.trusted}, Signer: signer, Known: s.known(), Build: "test", Now: time.Now()}
}

func (s *system) known() map[string]note.Verifier {
	key := s.trusted["ingest"][0]
	v, err := chain.Verifier(key)
	require.NoError(s.t, err)
	return map[string]note.Verifier{key: v}
}

// backup makes a backup that must succeed.
func (s *system) backup(dir string) *backup.Result {
	s.t.Helper()
	result, err := backup.Write(context.Background(), s.broker, dir, s.options())
	require.NoError(s.t, err)
	require.Empty(s.t, result.Unverified)
	return result
}

// opened reads a backup that must be whole and verify.
func (s *system) opened(dir string) *backup.Backup {
	s.t.Helper()
	b, report, err := s.check(dir)
	require.NoError(s.t, err)
	require.True(s.t, report.Verified, report.Findings)
	return b
}

func (s *system) check(dir string, anchors ...chain.Anchor) (*backup.Backup, *chain.Report, error) {
	b, err := backup.Open(dir, s.known())
	if err != nil {
		return nil, nil, err
	}
	report, err := b.Verify(context.Background(), backup.Reading{Keys: chain.Keys{Trusted: s.trusted}, Anchors: anchors})
	return b, report, err
}

// restored returns a new system with a backup in it.
func (s *system) restored(dir string) *system {
	s.t.Helper()
	next := newSystem(s.t, s)
	require.NoError(s.t, s.opened(dir).Restore(context.Background(), next.broker, time.Now(), nil))
	return next
}

// verify reads the live system.
func (s *system) verify(anchors ...chain.Anchor) *chain.Report {
	s.t.Helper()
	report, err := chain.Verify(context.Background(), live{s.broker}, chain.Options{Partitions: partitions, Keys: chain.Keys{Trusted: s.trusted}, Anchors: anchors})
	require.NoError(s.t, err)
	return report
}

// files returns the files of a backup, by their names.
func files(t testing.TB, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

// prefix requires that decisions are the beginning of others, partition by partition.
func prefix(t testing.TB, of, begin [partitions][]string) {
	t.Helper()
	for p := range of {
		require.LessOrEqual(t, len(begin[p]), len(of[p]), "partition %d", p)
		require.True(t, slices.Equal(of[p][:len(begin[p])], begin[p]), "partition %d was decided differently", p)
	}
}

// live is the source of a running system.
type live struct{ broker *natsengine.Broker }

func (l live) Stream(ctx context.Context, name events.Stream) (proof.Stream, error) {
	return read.LookUp(ctx, l.broker, name)
}

func (l live) Each(ctx context.Context, name events.Stream, through uint64, take func(proof.Message) error) error {
	return read.Each(ctx, l.broker, name, through, take)
}
