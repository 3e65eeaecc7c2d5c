package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// EV-6: what lies in no batch of the dispatcher is skipped, wherever it lies; what
// is true comes in order.
func TestOnlyProvenDecisionsCount(t *testing.T) {
	b := newBench(t)
	b.forge(t, fired("r1", "s1", "f1"))
	b.decide(t, fired("r1", "s1", "a"))
	b.forge(t, fired("r1", "s1", "f2"))
	b.forge(t, fired("r1", "s1", "f3"))
	b.decide(t, fired("r1", "s1", "b"))
	s := newSubscriber(t, b.conn, nil)
	got, _ := take(t, s, client.Filter{}, client.Start{All: true}, 2)
	require.Equal(t, []string{"a", "b"}, got)
	require.Equal(t, uint64(3), s.Skipped())

	b.forge(t, fired("r1", "s1", "f4"))
	got, _ = take(t, s, client.Filter{Session: "s1"}, client.Start{Latest: true}, 1)
	require.Equal(t, []string{"b"}, got, "what holds now is not hidden")
}

// One at the end of the stream is not known yet: it keeps nobody waiting.
func TestForgedTailHoldsNobodyUp(t *testing.T) {
	b := newBench(t)
	b.forge(t, fired("r1", "s1", "forged"))
	got := make(chan string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	s := newSubscriber(t, b.conn, nil)
	go func() {
		defer close(done)
		for i, err := range s.Interrupts(ctx, client.Filter{}, client.Start{All: true}) {
			if err == nil {
				got <- i.Fired.ID
			}
		}
	}()
	awaitConsumers(t, b, 1)
	b.decide(t, fired("r2", "s2", "true")) // another partition
	require.Equal(t, "true", <-got)
	require.Equal(t, uint64(1), s.Skipped())
	cancel()
	<-done
}

// Checkpoints of a stranger, copied ones and ones that came before prove nothing
// where keys are trusted; nor does a copy of a genuine message.
func TestTrustedKeys(t *testing.T) {
	b := newBench(t)
	own, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := own.PublicKey()
	require.NoError(t, err)
	stranger, err := nkeys.CreateUser()
	require.NoError(t, err)
	write := func(key nkeys.KeyPair, id string) {
		e := fired("r1", "s1", id)
		e.Source = "/scaffoldwatch/dispatcher"
		subject, err := subjects.StoredSubject(events.StreamDecisions, e, 16)
		require.NoError(t, err)
		header, data, err := events.EncodeBinary(e)
		require.NoError(t, err)
		require.NoError(t, commit(t.Context(), b.js, key, &nats.Msg{Subject: subject, Header: header, Data: data}))
	}
	copied := func(sequence uint64) {
		stream, err := b.js.Stream(t.Context(), string(events.StreamDecisions))
		require.NoError(t, err)
		m, err := stream.GetMsg(t.Context(), sequence)
		require.NoError(t, err)
		header := nats.Header{}
		for name, values := range m.Header {
			if name != jetstream.MsgIDHeader {
				header[name] = values
			}
		}
		_, err = b.js.PublishMsg(t.Context(), &nats.Msg{Subject: m.Subject, Header: header, Data: m.Data})
		require.NoError(t, err)
	}
	write(own, "a")      // 1, 2
	write(stranger, "x") // 3, 4
	write(nil, "y")      // 5, 6
	copied(1)            // a batch written again in whole
	copied(2)
	write(own, "b")
	s, err := client.NewSubscriber(b.conn, client.SubscriberOptions{TrustedKeys: []string{public}})
	require.NoError(t, err)
	got, _ := take(t, s, client.Filter{}, client.Start{All: true}, 2)
	require.Equal(t, []string{"a", "b"}, got)
	require.Equal(t, uint64(3), s.Skipped())

	// AU-3: what a stolen key signs after it was revoked is not followed.
	stolen, err := stranger.PublicKey()
	require.NoError(t, err)
	s, err = client.NewSubscriber(b.conn, client.SubscriberOptions{
		TrustedKeys: []string{public, stolen}, RevokedKeys: map[string]time.Time{stolen: time.Now().Add(-time.Hour)},
	})
	require.NoError(t, err)
	got, _ = take(t, s, client.Filter{}, client.Start{All: true}, 2)
	require.Equal(t, []string{"a", "b"}, got)
}

// A gate that a forger opens stays shut.
func TestForgedGateIsNoAnswer(t *testing.T) {
	b := newBench(t)
	run := openRun(t, b, 300*time.Millisecond)
	asked := runevents.GateRequested{Gate: runevents.GateMerge, Wave: 1}
	done := make(chan struct{})
	go func() { // answers whatever is asked, in no batch
		defer close(done)
		consumer, err := b.js.OrderedConsumer(t.Context(), string(events.StreamInput), jetstream.OrderedConsumerConfig{})
		if err != nil {
			return
		}
		m, err := consumer.Next()
		if err != nil {
			return
		}
		e, err := events.DecodeMessage(m.Headers(), m.Data())
		if err != nil {
			return
		}
		allow := &runevents.GateDecided{Gate: runevents.GateMerge, Decision: runevents.DecisionAllow, Wave: 1}
		b.forge(t, events.Event{ID: "g", Type: runevents.TypeGateDecided, Subject: "nightly", PartitionKey: "nightly", CausationID: e.ID, Data: allow})
		closed := &runevents.RunEvaluated{Event: e.ID, EventType: string(e.Type), Decisions: []string{"g"}, State: runevents.ControlRunning}
		b.forge(t, events.Event{ID: "c", Type: runevents.TypeRunEvaluated, Subject: "nightly", PartitionKey: "nightly", CausationID: e.ID, Data: closed})
	}()
	answer, err := run.Gate(t.Context(), asked)
	<-done
	require.ErrorIs(t, err, client.ErrNoVerdict)
	require.Equal(t, runevents.DecisionDeny, answer.Decision)
}
