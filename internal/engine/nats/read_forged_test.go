package nats_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// forger stores messages where it may not publish, through the reply subjects
// of its own requests (EV-6).
type forger struct {
	t  *testing.T
	nc *nats.Conn
	js jetstream.JetStream
	n  int
}

func newForger(t *testing.T, broker *natstest.Broker) *forger {
	nc := broker.Connect("forger")
	js, err := natsengine.JetStream(nc)
	require.NoError(t, err)
	return &forger{t: t, nc: nc, js: js}
}

// ack gets the broker's PubAck stored on a subject.
func (f *forger) ack(subject string) {
	f.t.Helper()
	stored := f.stored(subject)
	require.NoError(f.t, f.nc.PublishRequest("turn.raw.forger.forger", subject, []byte("x")))
	f.await(subject, stored)
}

// message gets a message of the forger's own making stored on a subject: a stream
// of its own gives it that subject, and asking for it with a reply subject of the
// other stream has it stored there as it is.
func (f *forger) message(subject string, header nats.Header, data []byte) {
	f.t.Helper()
	ctx := context.Background()
	f.n++
	stored := f.stored(subject)
	own := fmt.Sprintf("FORGER%d", f.n)
	stream, err := f.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: own, Subjects: []string{own}, Storage: jetstream.MemoryStorage,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: own, Destination: subject},
	})
	require.NoError(f.t, err)
	_, err = f.js.PublishMsg(ctx, &nats.Msg{Subject: own, Header: header, Data: data})
	require.NoError(f.t, err)
	_, err = stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "c", AckPolicy: jetstream.AckExplicitPolicy})
	require.NoError(f.t, err)
	require.NoError(f.t, f.nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT."+own+".c", subject, []byte(`{"batch":1}`)))
	f.await(subject, stored)
}

func (f *forger) stored(subject string) uint64 {
	f.t.Helper()
	name, err := f.js.StreamNameBySubject(context.Background(), subject)
	require.NoError(f.t, err)
	stream, err := f.js.Stream(context.Background(), name)
	require.NoError(f.t, err)
	m, err := stream.GetLastMsgForSubject(context.Background(), subject)
	if err != nil {
		require.ErrorIs(f.t, err, jetstream.ErrMsgNotFound)
		return 0
	}
	return m.Sequence
}

func (f *forger) await(subject string, before uint64) {
	f.t.Helper()
	require.NoError(f.t, f.nc.Flush())
	require.Eventually(f.t, func() bool { return f.stored(subject) > before }, time.Minute, time.Millisecond, "the forgery on %s was not stored", subject)
}

func keys(t *testing.T) (natsengine.Keys, nkeys.KeyPair) {
	t.Helper()
	own, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := own.PublicKey()
	require.NoError(t, err)
	return natsengine.Keys{Own: own, Trusted: map[string][]string{"ingest": {public}, "evaluator": {public}}}, own
}

// forgedTurn is a well-formed message as a stage would write it.
func forgedTurn(t *testing.T) (nats.Header, []byte) {
	t.Helper()
	ev := events.Event{
		ID: "forged", Source: "/scaffoldwatch/ingest", Type: sessionevents.TypeTurnEvaluated, Subject: "s1", PartitionKey: "s1",
		Data: &sessionevents.TurnEvaluated{Session: "s1", Turn: 99},
	}
	header, data, err := events.EncodeBinary(ev)
	require.NoError(t, err)
	return header, data
}

func TestForgedMessagesNeitherStopNorFool(t *testing.T) {
	for name, withKeys := range map[string]bool{"signed": true, "unsigned": false} {
		t.Run(name, func(t *testing.T) {
			broker := natstest.Run(t)
			var k natsengine.Keys
			if withKeys {
				k, _ = keys(t)
			}
			skipped := &heard{}
			b := open(t, broker.Conn, k, skipped)
			f := newForger(t, broker)
			p := subjects.Partition("s1", partitions)
			checkpoint := subjects.CheckpointSubject("ingest", p)
			forge := func() {
				f.ack(checkpoint)
				f.ack(subjects.SnapshotSubject("ingest", p, "s1"))
				f.ack(fmt.Sprintf("skip.ingest.%d.s1", p))
				header, data := forgedTurn(t)
				f.message(fmt.Sprintf("segments.turn.evaluated.%d.s1.s1", p), header, data)
				f.ack(fmt.Sprintf("turn.segmented.%d.s1.s1", p))
				f.ack(checkpoint)
			}
			var inputs []events.Event
			o := brisk
			o.SnapshotFirst = 1
			for round := range 3 { // before the first checkpoint, between owners, and while one runs
				forge()
				stop := runs(t, b, enginetest.Tally{Name: "ingest"}, o, nil)
				stopNext := runs(t, b, enginetest.Tally{Name: "evaluator"}, o, nil)
				for i := range 5 {
					ev := turn("s1", fmt.Sprintf("%d-%d", round, i), "text")
					publish(t, b, ev)
					inputs = append(inputs, ev)
				}
				want := model(t, inputs, "ingest")
				require.Equal(t, want, accepted(t, b, "ingest", count(want)))
				forge()
				ev := turn("s1", fmt.Sprintf("%d-last", round), "text")
				publish(t, b, ev)
				inputs = append(inputs, ev)
				want = model(t, inputs, "ingest", "evaluator")
				require.Equal(t, want, accepted(t, b, "evaluator", count(want)))
				stop()
				stopNext()
			}
			require.Positive(t, skipped.all()[proof.ReasonNoCheckpoint])
			require.Positive(t, skipped.all()[proof.ReasonOutside])
		})
	}
}

// What a flood stored since the last checkpoint is read at once: one by one, a slow stage would never commit (EV-6).
func TestAFloodOnCheckpointsIsReadAtOnce(t *testing.T) {
	const flood = 700
	ctx := t.Context()
	b := open(t, natstest.Run(t).Conn, natsengine.Keys{}, nil)
	sink, err := commit.Sink(b, "ingest")
	require.NoError(t, err)
	log, err := sink.Open(ctx, 0)
	require.NoError(t, err)
	for range flood {
		_, err := b.JetStream().Publish(ctx, subjects.CheckpointSubject("ingest", 0), []byte("{}"))
		require.NoError(t, err)
	}
	before := b.JetStream().Conn().Stats().OutMsgs
	require.NoError(t, log.Commit(ctx, engine.Batch{Position: engine.Position{Sequence: 1}}))
	require.Less(t, b.JetStream().Conn().Stats().OutMsgs-before, uint64(flood/20))
}

// An imitation of a checkpoint is out of place or off the chain, and without the
// key it cannot be signed.
func TestImitatedCheckpoints(t *testing.T) {
	broker := natstest.Run(t)
	k, own := keys(t)
	skipped := &heard{}
	b := open(t, broker.Conn, k, skipped)
	f := newForger(t, broker)
	p := subjects.Partition("s1", partitions)
	subject := subjects.CheckpointSubject("ingest", p)
	ctx := context.Background()
	stop := runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	var inputs []events.Event
	step := func(id string) {
		ev := turn("s1", id, "text")
		publish(t, b, ev)
		inputs = append(inputs, ev)
		want := model(t, inputs, "ingest")
		require.Equal(t, want, accepted(t, b, "ingest", count(want)), id)
	}
	step("a")
	segments, err := b.JetStream().Stream(ctx, "SEGMENTS")
	require.NoError(t, err)
	first, err := segments.GetLastMsgForSubject(ctx, subject)
	require.NoError(t, err)
	step("b")
	stop()
	last, err := segments.GetLastMsgForSubject(ctx, subject)
	require.NoError(t, err)

	var next proof.Checkpoint
	require.NoError(t, json.Unmarshal(last.Data, &next))
	next.Fence, next.Position.Sequence, next.Count, next.Outputs, next.Marks = last.Sequence, 1<<40, 0, 0, nil
	stranger, err := nkeys.CreateUser()
	require.NoError(t, err)
	strangers, err := stranger.PublicKey()
	require.NoError(t, err)
	signed := func(c proof.Checkpoint, key nkeys.KeyPair, name string) []byte {
		c.Key, c.Signature = name, ""
		data, err := json.Marshal(c)
		require.NoError(t, err)
		signature, err := key.Sign(data)
		require.NoError(t, err)
		c.Signature = base64.RawURLEncoding.EncodeToString(signature)
		data, err = json.Marshal(c)
		require.NoError(t, err)
		return data
	}
	public, err := own.PublicKey()
	require.NoError(t, err)
	f.message(subject, nil, first.Data)                              // a genuine one, copied
	f.message(subject, nil, last.Data)                               // the last one, copied
	f.message(subject, nil, signed(next, stranger, strangers))       // a stranger's
	f.message(subject, nil, signed(next, stranger, public))          // in the stage's name
	f.message(subject, nil, []byte(`{"v":1,"stage":"ingest"}`+"\n")) // malformed

	runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	step("c")
	require.Positive(t, skipped.all()[proof.ReasonCopied])
	require.Positive(t, skipped.all()[proof.ReasonSignature])
	require.Positive(t, skipped.all()[proof.ReasonNoCheckpoint])
}

// What was committed under a key does not pass for another's.
func TestReaderWithAnotherKeyAcceptsNothing(t *testing.T) {
	broker := natstest.Run(t)
	mine, _ := keys(t)
	theirs, _ := keys(t)
	b := open(t, broker.Conn, mine, nil)
	runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	inputs := fill(t, b, "t", 10)
	accepted(t, b, "ingest", count(model(t, inputs, "ingest")))

	skipped := &heard{}
	stranger := open(t, broker.Conn, theirs, skipped)
	reader, err := read.Open(context.Background(), stranger, read.Options{Stage: "ingest", Partition: natsengine.AllPartitions})
	require.NoError(t, err)
	defer reader.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := reader.Next(ctx)
		ended <- err
	}()
	require.Eventually(t, func() bool {
		return skipped.all()[proof.ReasonSignature] > 0
	}, time.Minute, 5*time.Millisecond)
	select {
	case err := <-ended:
		t.Fatalf("it reads what nobody it trusts has signed: %v", err)
	case <-time.After(500 * time.Millisecond):
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// A message changed or erased within a batch is noticed, the others stay valid.
func TestErasedAndFilteredReads(t *testing.T) {
	broker := natstest.Run(t)
	skipped := &heard{}
	b := open(t, broker.Conn, natsengine.Keys{}, skipped)
	stop := runs(t, b, enginetest.Tally{Name: "ingest"}, brisk, nil)
	ctx := context.Background()
	inputs := fill(t, b, "t", 100)
	want := model(t, inputs, "ingest")
	accepted(t, b, "ingest", count(want))
	stop()

	t.Run("one session", func(t *testing.T) {
		session, expected := "s3", 0
		for _, of := range want {
			for _, l := range of {
				if len(l) > 30 && l[27:30] == session+" " {
					expected++
				}
			}
		}
		require.Positive(t, expected)
		reader, err := read.Open(ctx, b, read.Options{
			Stage: "ingest", Partition: natsengine.AllPartitions,
			Filters: []string{"segments." + subjects.SessionFilter(sessionevents.TypeTurnEvaluated, session)},
		})
		require.NoError(t, err)
		defer reader.Close()
		for found := 0; found < expected; {
			a, err := reader.Next(ctx)
			require.NoError(t, err)
			if !a.Idle {
				require.Equal(t, session, a.Input.Event.Subject)
				found++
			}
		}
	})
	t.Run("resume anywhere", func(t *testing.T) {
		reader, err := read.Open(ctx, b, read.Options{Stage: "ingest", Partition: natsengine.AllPartitions})
		require.NoError(t, err)
		seen, total, after := 0, count(want), uint64(0)
		for seen < total/2 || after == 0 {
			a, err := reader.Next(ctx)
			require.NoError(t, err)
			if !a.Idle {
				seen++
			}
			if a.Position.Anchor > a.Position.Sequence {
				after = a.Position.Anchor
				if seen >= total/2 {
					break
				}
			}
		}
		reader.Close()
		again, err := read.Open(ctx, b, read.Options{Stage: "ingest", Partition: natsengine.AllPartitions, After: after})
		require.NoError(t, err)
		defer again.Close()
		for seen < total {
			a, err := again.Next(ctx)
			require.NoError(t, err)
			if !a.Idle {
				seen++
			}
		}
	})
	t.Run("erased", func(t *testing.T) {
		segments, err := b.JetStream().Stream(ctx, "SEGMENTS")
		require.NoError(t, err)
		require.NoError(t, segments.Purge(ctx, jetstream.WithPurgeSubject(fmt.Sprintf("segments.turn.evaluated.%d.s3.s3", subjects.Partition("s3", partitions)))))
		left := 0
		for _, of := range want {
			for _, l := range of {
				if l[27:30] != "s3 " {
					left++
				}
			}
		}
		require.Equal(t, left, count(accepted(t, b, "ingest", left)))
		require.Positive(t, skipped.all()[proof.ReasonErased])
	})
}
