package events_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/gen/contract"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

func TestSubjects(t *testing.T) {
	turn := events.Event{Type: events.TypeTurnRaw, Subject: "s1", PartitionKey: "r1"}
	p := events.Partition("r1", 16)
	published, err := events.PublishedSubject(turn)
	require.NoError(t, err)
	require.Equal(t, "turn.raw.r1.s1", published)
	for _, c := range []struct {
		in   events.Stream
		typ  events.Type
		want string
	}{
		{events.StreamInput, events.TypeTurnRaw, "turn.raw.%d.r1.s1"},
		{events.StreamSegments, events.TypeTurnSegmented, "turn.segmented.%d.r1.s1"},
		{events.StreamSegments, events.TypeSessionOpened, "segments.session.opened.%d.r1.s1"},
		{events.StreamSegments, events.TypeGitCommit, "segments.run.fact.%d.r1.s1"},
		{events.StreamSignals, events.TypeTurnSegmented, "signals.turn.segmented.%d.r1.s1"},
		{events.StreamSignals, events.TypeSignalDetected, "signal.detected.%d.r1.s1"},
		{events.StreamDecisions, events.TypeSignalDetected, "decisions.signal.detected.%d.r1.s1"},
		{events.StreamDecisions, events.TypeInterruptFired, "interrupt.fired.%d.r1.s1"},
		{events.StreamInput, events.TypePlanApproved, "operator.act.%d.r1.s1"}, // EV-10: only an operator can write there
	} {
		turn.Type = c.typ
		got, err := events.StoredSubject(c.in, turn, 16)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(c.want, p), got)
	}
	require.Equal(t, "ckpt.evaluator.3", events.CheckpointSubject("evaluator", 3))
	require.Equal(t, "snap.evaluator.3.r1", events.SnapshotSubject("evaluator", 3, "r1"))
	require.Equal(t, "dead.ingest.3.r1.s1", events.DeadLetterSubject("ingest", 3, "r1", "s1"))
}

// EV-10: what an actor does not claim to be, no credential of a sender proves.
func TestClaimsArePublishedAsClaims(t *testing.T) {
	orchestrator, human, infra := events.Actor{Kind: events.ActorOrchestrator}, events.Actor{Kind: events.ActorHuman}, events.Actor{Kind: events.ActorInfra}
	for _, c := range []struct {
		typ  events.Type
		data any
		want string
	}{
		{events.TypePlanApproved, &events.PlanApproved{Actor: human}, "operator.act.r.r"},
		{events.TypePlanApproved, &events.PlanApproved{Actor: orchestrator}, "run.raw.r.r"},
		{events.TypePlanApproved, &events.PlanApproved{Actor: infra}, "run.raw.r.r"},
		{events.TypeGitCommit, &events.GitCommit{Actor: infra}, "run.fact.r.r"},
		{events.TypeGitCommit, &events.GitCommit{Actor: orchestrator}, "run.raw.r.r"},
		{events.TypeRunStarted, &events.RunStarted{Actor: human}, "run.raw.r.r"},
	} {
		subject, err := events.PublishedSubject(events.Event{ID: "1", Source: "/x", Type: c.typ, Subject: "r", Data: c.data})
		require.NoError(t, err)
		require.Equal(t, c.want, subject, "%s by %v", c.typ, c.data)
	}
}

func TestHostileDeadLetterStaysASubject(t *testing.T) {
	subject := events.DeadLetterSubject("ingest", 0, "a.b >*", "")
	parsed, err := events.ParseSubject(subject)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(parsed.Group, "invalid-"))
	require.NotEqual(t, parsed.Group, parsed.ID)
}

func TestSubjectsAreRefused(t *testing.T) {
	for name, e := range map[string]events.Event{
		"unknown type": {Type: "turn.rare", Subject: "s"},
		"derived type": {Type: events.TypeInterruptFired, Subject: "s"},
		"dot in id":    {Type: events.TypeTurnRaw, Subject: "a.b"},
		"wildcard":     {Type: events.TypeTurnRaw, Subject: "*"},
		"empty":        {Type: events.TypeTurnRaw},
		"bad group":    {Type: events.TypeTurnRaw, Subject: "s", PartitionKey: "a b"},
	} {
		_, err := events.PublishedSubject(e)
		var invalid *events.InvalidError
		require.ErrorAs(t, err, &invalid, name)
	}
	_, err := events.StoredSubject(events.StreamInput, events.Event{Type: events.TypeInterruptFired, Subject: "s"}, 16)
	require.Error(t, err, "a derived event has no place in INPUT")
}

// Every subject this package builds parses back to the same parts, and fits its
// type alone (EV-6).
func TestSubjectsParseBack(t *testing.T) {
	streams := []events.Stream{events.StreamInput, events.StreamSegments, events.StreamSignals, events.StreamDecisions}
	for typ, e := range contract.Examples() {
		for _, in := range streams {
			subject, err := events.StoredSubject(in, e, 16)
			if err != nil {
				require.Equal(t, events.StreamInput, in)
				continue
			}
			parsed, err := events.ParseSubject(subject)
			require.NoError(t, err)
			require.Equal(t, subject, parsed.String())
			require.Equal(t, in, parsed.Stream)
			require.Equal(t, e.Group(), parsed.Group)
			require.Equal(t, e.Subject, parsed.ID)
			require.Equal(t, events.Partition(e.Group(), 16), parsed.Partition)
			require.True(t, events.Fits(typ, subject))
		}
	}
}

func TestFitsRefusesForgeries(t *testing.T) {
	require.True(t, events.Fits(events.TypeGitCommit, "run.fact.3.r.r"))
	for typ, subject := range map[events.Type]string{
		events.TypeInterruptFired:   "turn.raw.3.r.s",
		events.TypePlanApproved:     "run.raw.3.r.r", // EV-10: an operator's act from a publisher
		events.TypeRecoverySelected: "run.raw.r.r",
		events.TypeTurnRaw:          "decisions.interrupt.fired.3.r.s",
		events.TypeSignalDetected:   "signal.detected.r.s", // nothing a publisher sends
		"turn.rare":                 "turn.rare.3.r.s",
	} {
		require.False(t, events.Fits(typ, subject), "%s on %s", typ, subject)
	}
}

func TestParseSubjectRefuses(t *testing.T) {
	for _, subject := range []string{
		"", "turn", "turn.raw", "turn.raw.s", "turn.raw.1.2.3.4.5", "turn.raw.x.r.s", "turn.raw.01.r.s", "turn.raw.-1.r.s",
		"turn.raw.3.r.", "turn.raw.3..s", "turn.raw..s", "turn.raw.3.r.s*", "turn.rare.3.r.s", "interrupt.fired.r.s",
		"input.turn.raw.3.r.s", "decisions.interrupt.fired.3.r.s", "ckpt..3", "ckpt.ingest.x", "snap.ingest.3.", "dead.ingest.3.r.",
		"turn.raw.99999999999999999999.r.s",
	} {
		got, err := events.ParseSubject(subject)
		require.Error(t, err, subject)
		require.Zero(t, got, subject)
	}
}

// EV-4: the partition is the one the server's subject transform gives, filters
// select exactly the events of their partition, and no two of them overlap.
func TestPartitionsAndFiltersAgainstServer(t *testing.T) {
	js, err := jetstream.New(testServer(t))
	require.NoError(t, err)
	_, err = js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "INPUT", Subjects: events.StreamSubjects(events.StreamInput),
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "*.*.*.*", Destination: "{{wildcard(1)}}.{{wildcard(2)}}.{{partition(16,3)}}.{{wildcard(3)}}.{{wildcard(4)}}"},
	})
	require.NoError(t, err)
	for _, in := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions, events.StreamDeadLetter} {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: string(in), Subjects: events.StreamSubjects(in)})
		require.NoError(t, err, "subjects of %s overlap with those of another stream", in)
	}
	wanted := map[int]int{}
	for i := range 200 {
		e := events.Event{Type: events.TypeTurnRaw, Subject: "s", PartitionKey: fmt.Sprintf("Run_%d-%d", i, i*i)}
		subject, err := events.PublishedSubject(e)
		require.NoError(t, err)
		_, err = js.Publish(t.Context(), subject, nil)
		require.NoError(t, err)
		wanted[events.Partition(e.Group(), 16)]++
	}
	require.Len(t, wanted, 16)
	for p, count := range wanted {
		consumer, err := js.CreateConsumer(t.Context(), "INPUT", jetstream.ConsumerConfig{FilterSubjects: events.ConsumerFilters(events.StreamInput, p)})
		require.NoError(t, err, "filters overlap")
		batch, err := consumer.Fetch(count, jetstream.FetchMaxWait(10*time.Second))
		require.NoError(t, err)
		got := 0
		for msg := range batch.Messages() {
			got++
			parsed, err := events.ParseSubject(msg.Subject())
			require.NoError(t, err)
			require.Equal(t, events.Partition(parsed.Group, 16), parsed.Partition, msg.Subject())
		}
		require.Equal(t, count, got, "partition %d", p)
	}
}

func TestDerivedFiltersDoNotOverlap(t *testing.T) {
	js, err := jetstream.New(testServer(t))
	require.NoError(t, err)
	for _, in := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: string(in), Subjects: events.StreamSubjects(in)})
		require.NoError(t, err)
		consumer, err := js.CreateConsumer(t.Context(), string(in), jetstream.ConsumerConfig{FilterSubjects: events.ConsumerFilters(in, 5)})
		require.NoError(t, err, "filters overlap")
		stage := events.StageOf(in)
		for _, subject := range []string{events.CheckpointSubject(stage, 5), events.SnapshotSubject(stage, 5, "g")} {
			_, err = js.Publish(t.Context(), subject, nil)
			require.NoError(t, err)
		}
		info, err := consumer.Info(t.Context())
		require.NoError(t, err)
		require.Zero(t, info.NumPending, "checkpoints and snapshots are no events")
	}
}

func TestSubscriberFilters(t *testing.T) {
	require.Equal(t, "interrupt.fired.*.*.s1", events.SessionFilter(events.TypeInterruptFired, "s1"))
	require.Equal(t, "interrupt.fired.*.r1.>", events.RunFilter(events.TypeInterruptFired, "r1"))
	require.Equal(t, "wiggum.break.*.r1.r1", events.RunSubjectFilter(events.TypeWiggumBreak, "r1"))
	require.Equal(t, "interrupt.fired.>", events.FleetFilter(events.TypeInterruptFired))
	require.Equal(t, "run.fact.>", events.FleetFilter(events.TypeGitCommit))
}
