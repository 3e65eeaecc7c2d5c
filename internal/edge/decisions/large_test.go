package decisions_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natscommit "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// eventsOfEach is how many events of each session are in a large DECISIONS,
// evenly spread over it.
const eventsOfEach = 80

// fillDecisions commits so many events of many sessions, in turn, as the dispatcher
// does.
func fillDecisions(t *testing.T, b *nats.Broker, messages int) (sessions int) {
	t.Helper()
	ctx := context.Background()
	sink, err := natscommit.Sink(b, "dispatcher")
	require.NoError(t, err)
	partitions := b.Topology().Partitions
	logs := make([]engine.Log, partitions)
	for p := range logs {
		logs[p], err = sink.Open(ctx, p)
		require.NoError(t, err)
	}
	sessions = max(messages/eventsOfEach, 1)
	batches := make([]engine.Batch, partitions)
	commit := func(p int) {
		require.NoError(t, logs[p].Commit(ctx, batches[p]))
		batches[p] = engine.Batch{Position: batches[p].Position}
	}
	for i := range messages {
		session, turn := fmt.Sprintf("s%d", i%sessions), i/sessions+1
		ev := events.Event{
			ID: fmt.Sprintf("%s-%d", session, turn), Source: step.Source("evaluator"), Type: sessionevents.TypeTurnEvaluated, Subject: session,
			PartitionKey: session, Time: time.Date(2026, 1, 1, 0, 0, turn, 0, time.UTC), Data: &sessionevents.TurnEvaluated{Session: session, Turn: turn},
		}
		p := subjects.Partition(session, partitions)
		m, err := logs[p].Encode(session, ev)
		require.NoError(t, err)
		batches[p].Messages = append(batches[p].Messages, m)
		batches[p].Position.Sequence++
		if len(batches[p].Messages) == 200 {
			commit(p)
		}
	}
	for p := range batches {
		if len(batches[p].Messages) > 0 {
			commit(p)
		}
	}
	return sessions
}

// A report costs what its session has, not what DECISIONS holds; an unknown id
// costs nearly nothing. SCAFFOLDWATCH_DECISIONS=1000000 is the size of a busy year.
func TestReportOfALargeStream(t *testing.T) {
	messages := 40_000
	if n, err := strconv.Atoi(os.Getenv("SCAFFOLDWATCH_DECISIONS")); err == nil {
		messages = n
	}
	ctx := context.Background()
	b, err := nats.Open(natstest.Run(t).Conn, topology.Topology{}, nats.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(ctx, b.JetStream(), b.Topology())
	require.NoError(t, err)
	sessions := fillDecisions(t, b, messages)
	quickest := func(of func()) time.Duration { // other processes share the machine
		best := time.Hour
		for range 5 {
			began := time.Now()
			of()
			best = min(best, time.Since(began))
		}
		return best
	}
	known := quickest(func() {
		m, err := decisions.ReadReport(ctx, b, fmt.Sprintf("s%d", sessions/2))
		require.NoError(t, err)
		require.Equal(t, messages/sessions, m.Turns)
	})
	unknown := quickest(func() {
		_, err := decisions.ReadReport(ctx, b, "nobody")
		require.ErrorIs(t, err, decisions.ErrNoSession)
	})
	whole := time.Now()
	require.NoError(t, read.All(ctx, b, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}, func(read.Accepted) error { return nil }))
	all := time.Since(whole)
	t.Logf("%d messages, %d sessions: a report %s, an unknown id %s, reading everything %s", messages, sessions, known, unknown, all)
	require.Less(t, known, all/4, "a report does not read the whole stream")
	require.Less(t, unknown, all/20)
}
