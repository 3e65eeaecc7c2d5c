package client_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const source = "/harness/test"

func newPublisher(t *testing.T, conn *nats.Conn, change ...func(*client.PublisherOptions)) *client.Publisher {
	t.Helper()
	options := client.PublisherOptions{Source: source, BackoffMin: time.Millisecond, BackoffMax: 10 * time.Millisecond}
	for _, c := range change {
		c(&options)
	}
	p, err := client.NewPublisher(conn, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

func turn(n int) sessionevents.Turn {
	return sessionevents.Turn{Session: "s1", TurnID: fmt.Sprintf("t%d", n), Run: "r1", Blocks: []sessionevents.Block{{Type: sessionevents.BlockText, Text: "hello"}}}
}

func TestPublishedTurnLiesInItsRunsPartition(t *testing.T) {
	b := newBench(t)
	p := newPublisher(t, b.conn)
	first, err := p.Turn(t.Context(), turn(1))
	require.NoError(t, err)
	require.Equal(t, uint64(1), first.Sequence)

	again, err := p.Turn(t.Context(), turn(1)) // EV-2: the same turn is the same event
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	require.NotEqual(t, first.Sequence, again.Sequence, "INPUT stores it again, ingest knows it")

	changed := turn(1)
	changed.Blocks[0].Text = "bye"
	other, err := p.Turn(t.Context(), changed)
	require.NoError(t, err)
	require.NotEqual(t, first.ID, other.ID)

	stored := b.input(t)
	require.Len(t, stored, 3)
	require.Empty(t, stored[0].Header.Get("Nats-Msg-Id"), "whoever knew it could have the broker swallow the turn")
	require.Equal(t, fmt.Sprintf("turn.raw.%d.r1.s1", subjects.Partition("r1", 16)), stored[0].Subject)
	e, err := events.DecodeMessage(stored[0].Header, stored[0].Data)
	require.NoError(t, err)
	require.Equal(t, "r1", e.Correlation)
	require.Equal(t, "r1", e.PartitionKey)
	require.False(t, e.Time.IsZero())
	require.Equal(t, "hello", e.Data.(*sessionevents.Turn).Blocks[0].Text)
}

func TestEveryMethodPublishesItsType(t *testing.T) {
	b := newBench(t)
	p := newPublisher(t, b.conn)
	interrupt := client.Interrupt{Fired: &sessionevents.InterruptFired{ID: "i1", Session: "s1", Turn: 3}}
	ctx := t.Context()
	for _, publish := range []func() (client.Receipt, error){
		func() (client.Receipt, error) {
			return p.OpenSession(ctx, sessionevents.SessionOpened{Session: "s1", Run: "r1"})
		},
		func() (client.Receipt, error) { return p.Turn(ctx, sessionevents.Turn{Session: "s1", TurnID: "t1"}) },
		func() (client.Receipt, error) {
			return p.Delivery(ctx, "r1", interrupt.Delivery(sessionevents.DeliveryAcked, "hook", "me"))
		},
		func() (client.Receipt, error) {
			return p.CloseSession(ctx, "r1", sessionevents.SessionClosed{Session: "s1", Reason: "completed"})
		},
		func() (client.Receipt, error) {
			return p.Event(ctx, events.Event{Type: runevents.TypeGitCommit, Subject: "r1", Data: &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra}, Branch: "main"}})
		},
		func() (client.Receipt, error) {
			return p.Event(ctx, events.Event{Type: runevents.TypePlanApproved, Subject: "r1", Data: &runevents.PlanApproved{Actor: runevents.Actor{Kind: runevents.ActorHuman}}})
		},
	} {
		_, err := publish()
		require.NoError(t, err)
	}
	inRun, alone := subjects.Partition("r1", 16), subjects.Partition("s1", 16)
	var published []string
	for _, msg := range b.input(t) {
		published = append(published, msg.Subject)
		e, err := events.DecodeMessage(msg.Header, msg.Data)
		require.NoError(t, err)
		require.NoError(t, events.Validate(e, events.Limits{}))
		require.True(t, subjects.Fits(e.Type, msg.Subject))
	}
	require.Equal(t, []string{
		fmt.Sprintf("session.opened.%d.r1.s1", inRun), fmt.Sprintf("turn.raw.%d.s1.s1", alone), fmt.Sprintf("interrupt.delivery.%d.r1.s1", inRun),
		fmt.Sprintf("session.closed.%d.r1.s1", inRun), fmt.Sprintf("run.fact.%d.r1.r1", inRun), fmt.Sprintf("operator.act.%d.r1.r1", inRun),
	}, published)
}

func TestInvalidEventsAreRefusedBeforeTheyAreSent(t *testing.T) {
	b := newBench(t)
	p := newPublisher(t, b.conn)
	for name, e := range map[string]events.Event{
		"bad id":   {Type: sessionevents.TypeSessionClosed, Subject: "a.b", Data: &sessionevents.SessionClosed{Session: "a.b"}},
		"no turn":  {Type: sessionevents.TypeTurnRaw, Subject: "s", Data: &sessionevents.Turn{Session: "s"}},
		"derived":  {Type: sessionevents.TypeInterruptFired, Subject: "s", Data: &sessionevents.InterruptFired{}},
		"unknown":  {Type: "turn.rare", Subject: "s"},
		"mismatch": {Type: sessionevents.TypeTurnRaw, Subject: "s", Data: &sessionevents.SessionClosed{Session: "s"}},
	} {
		_, err := p.Event(t.Context(), e)
		var refused *invalid.Error
		require.ErrorAs(t, err, &refused, name)
	}
	require.Empty(t, b.input(t))
}

func TestRetriesUntilTheStreamIsThere(t *testing.T) {
	b := newBench(t)
	require.NoError(t, b.js.DeleteStream(t.Context(), "INPUT"))
	p := newPublisher(t, b.conn)
	done := make(chan error, 1)
	go func() { _, err := p.Turn(t.Context(), turn(1)); done <- err }()
	require.Eventually(t, func() bool { s, err := p.Stats(); return err == nil && s.Retries > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, b.js.DeleteStream(t.Context(), "DECISIONS"))
	require.NoError(t, b.js.DeleteKeyValue(t.Context(), "CONTROL"))
	require.NoError(t, provision(t.Context(), b.js))
	require.NoError(t, <-done)
	require.Equal(t, []string{"t1"}, b.turnIDs(t))
}

func TestContextEndsTheWait(t *testing.T) {
	b := newBench(t)
	b.stop()
	awaitConnection(t, b.conn, false)
	p := newPublisher(t, b.conn, func(o *client.PublisherOptions) { o.MaxInFlight = 1 })
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() { _, err := p.Turn(ctx, turn(1)); done <- err }()
	require.Eventually(t, func() bool { s, err := p.Stats(); return err == nil && s.Retries > 0 }, time.Minute, time.Millisecond)

	// Back-pressure: the one slot is taken, so another call waits for it alone.
	ended, stop := context.WithCancel(t.Context())
	stop()
	_, err := p.Turn(ended, turn(2))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "wait for one of 1 calls in flight")

	cause := fmt.Errorf("the harness stops")
	cancel(cause)
	require.ErrorIs(t, <-done, cause)
}

func TestPermissionViolationIsFinal(t *testing.T) {
	b := newBench(t, func(o *server.Options) {
		allow := &server.SubjectPermission{Allow: []string{"$JS.API.>", "turn.raw.mine.>", "_INBOX.>", "$KV.>"}}
		o.Users = []*server.User{{Username: "p", Permissions: &server.Permissions{Publish: allow}}, {Username: "admin"}}
		o.NoAuthUser = "admin"
	})
	conn, err := b.connect(nats.UserInfo("p", ""), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	require.NoError(t, err)
	defer conn.Close()
	p := newPublisher(t, conn, func(o *client.PublisherOptions) { o.AttemptTimeout = 200 * time.Millisecond })
	_, err = p.Turn(t.Context(), sessionevents.Turn{Session: "s1", TurnID: "t1", Run: "mine"})
	require.NoError(t, err)
	_, err = p.Turn(t.Context(), sessionevents.Turn{Session: "s1", TurnID: "t1", Run: "yours"})
	require.ErrorIs(t, err, nats.ErrPermissionViolation)
}

func TestClosedPublisherRefuses(t *testing.T) {
	b := newBench(t)
	p := newPublisher(t, b.conn, func(o *client.PublisherOptions) { o.MaxInFlight = 1 })
	require.NoError(t, p.Close())
	_, err := p.Turn(t.Context(), turn(1))
	require.ErrorIs(t, err, client.ErrClosed)
	_, err = client.NewPublisher(b.conn, client.PublisherOptions{})
	require.ErrorContains(t, err, "Source")
}
