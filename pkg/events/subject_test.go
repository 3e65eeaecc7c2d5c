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
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

func TestSubjects(t *testing.T) {
	turn := events.Event{Type: sessionevents.TypeTurnRaw, Subject: "s1", PartitionKey: "r1"}
	p := subjects.Partition("r1", 16)
	published, err := subjects.PublishedSubject(turn)
	require.NoError(t, err)
	require.Equal(t, "turn.raw.r1.s1", published)
	for _, c := range []struct {
		in   events.Stream
		typ  events.Type
		want string
	}{
		{events.StreamInput, sessionevents.TypeTurnRaw, "turn.raw.%d.r1.s1"},
		{events.StreamSegments, sessionevents.TypeTurnSegmented, "turn.segmented.%d.r1.s1"},
		{events.StreamSegments, sessionevents.TypeSessionOpened, "segments.session.opened.%d.r1.s1"},
		{events.StreamSegments, runevents.TypeGitCommit, "segments.run.fact.%d.r1.s1"},
		{events.StreamSignals, sessionevents.TypeTurnSegmented, "signals.turn.segmented.%d.r1.s1"},
		{events.StreamSignals, sessionevents.TypeSignalDetected, "signal.detected.%d.r1.s1"},
		{events.StreamDecisions, sessionevents.TypeSignalDetected, "decisions.signal.detected.%d.r1.s1"},
		{events.StreamDecisions, sessionevents.TypeInterruptFired, "interrupt.fired.%d.r1.s1"},
		{events.StreamInput, runevents.TypePlanApproved, "operator.act.%d.r1.s1"}, // EV-10: only an operator can write there
	} {
		turn.Type = c.typ
		got, err := subjects.StoredSubject(c.in, turn, 16)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(c.want, p), got)
	}
	require.Equal(t, "ckpt.evaluator.3", subjects.CheckpointSubject("evaluator", 3))
	require.Equal(t, "snap.evaluator.3.r1", subjects.SnapshotSubject("evaluator", 3, "r1"))
	require.Equal(t, "dead.ingest.3.r1.s1", subjects.DeadLetterSubject("ingest", 3, "r1", "s1"))
}

// EV-10: what an actor does not claim to be, no credential of a sender proves.
func TestClaimsArePublishedAsClaims(t *testing.T) {
	orchestrator, human, infra := runevents.Actor{Kind: runevents.ActorOrchestrator}, runevents.Actor{Kind: runevents.ActorHuman}, runevents.Actor{Kind: runevents.ActorInfra}
	for _, c := range []struct {
		typ  events.Type
		data any
		want string
	}{
		{runevents.TypePlanApproved, &runevents.PlanApproved{Actor: human}, "operator.act.r.r"},
		{runevents.TypePlanApproved, &runevents.PlanApproved{Actor: orchestrator}, "run.raw.r.r"},
		{runevents.TypePlanApproved, &runevents.PlanApproved{Actor: infra}, "run.raw.r.r"},
		{runevents.TypeGitCommit, &runevents.GitCommit{Actor: infra}, "run.fact.r.r"},
		{runevents.TypeGitCommit, &runevents.GitCommit{Actor: orchestrator}, "run.raw.r.r"},
		{runevents.TypeRunStarted, &runevents.RunStarted{Actor: human}, "run.raw.r.r"},
	} {
		subject, err := subjects.PublishedSubject(events.Event{ID: "1", Source: "/x", Type: c.typ, Subject: "r", Data: c.data})
		require.NoError(t, err)
		require.Equal(t, c.want, subject, "%s by %v", c.typ, c.data)
	}
}

func TestHostileDeadLetterStaysASubject(t *testing.T) {
	subject := subjects.DeadLetterSubject("ingest", 0, "a.b >*", "")
	parsed, err := subjects.ParseSubject(subject)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(parsed.Group, "invalid-"))
	require.NotEqual(t, parsed.Group, parsed.ID)
}

func TestSubjectsAreRefused(t *testing.T) {
	for name, e := range map[string]events.Event{
		"unknown type": {Type: "turn.rare", Subject: "s"},
		"derived type": {Type: sessionevents.TypeInterruptFired, Subject: "s"},
		"dot in id":    {Type: sessionevents.TypeTurnRaw, Subject: "a.b"},
		"wildcard":     {Type: sessionevents.TypeTurnRaw, Subject: "*"},
		"empty":        {Type: sessionevents.TypeTurnRaw},
		"bad group":    {Type: sessionevents.TypeTurnRaw, Subject: "s", PartitionKey: "a b"},
	} {
		_, err := subjects.PublishedSubject(e)
		var refused *invalid.Error
		require.ErrorAs(t, err, &refused, name)
	}
	_, err := subjects.StoredSubject(events.StreamInput, events.Event{Type: sessionevents.TypeInterruptFired, Subject: "s"}, 16)
	require.Error(t, err, "a derived event has no place in INPUT")
}

// Every subject this package builds parses back to the same parts, and fits its
// type alone (EV-6).
func TestSubjectsParseBack(t *testing.T) {
	streams := []events.Stream{events.StreamInput, events.StreamSegments, events.StreamSignals, events.StreamDecisions}
	for typ, e := range contract.Examples() {
		for _, in := range streams {
			subject, err := subjects.StoredSubject(in, e, 16)
			if err != nil {
				require.Equal(t, events.StreamInput, in)
				continue
			}
			parsed, err := subjects.ParseSubject(subject)
			require.NoError(t, err)
			require.Equal(t, subject, parsed.String())
			require.Equal(t, in, parsed.Stream)
			require.Equal(t, e.Group(), parsed.Group)
			require.Equal(t, e.Subject, parsed.ID)
			require.Equal(t, subjects.Partition(e.Group(), 16), parsed.Partition)
			require.True(t, subjects.Fits(typ, subject))
		}
	}
}

func TestFitsRefusesForgeries(t *testing.T) {
	require.True(t, subjects.Fits(runevents.TypeGitCommit, "run.fact.3.r.r"))
	for typ, subject := range map[events.Type]string{
		sessionevents.TypeInterruptFired: "turn.raw.3.r.s",
		runevents.TypePlanApproved:       "run.raw.3.r.r", // EV-10: an operator's act from a publisher
		runevents.TypeRecoverySelected:   "run.raw.r.r",
		sessionevents.TypeTurnRaw:        "decisions.interrupt.fired.3.r.s",
		sessionevents.TypeSignalDetected: "signal.detected.r.s", // nothing a publisher sends
		"turn.rare":                      "turn.rare.3.r.s",
	} {
		require.False(t, subjects.Fits(typ, subject), "%s on %s", typ, subject)
	}
}

func TestParseSubjectRefuses(t *testing.T) {
	for _, subject := range []string{
		"", "turn", "turn.raw", "turn.raw.s", "turn.raw.1.2.3.4.5", "turn.raw.x.r.s", "turn.raw.01.r.s", "turn.raw.-1.r.s",
		"turn.raw.3.r.", "turn.raw.3..s", "turn.raw..s", "turn.raw.3.r.s*", "turn.rare.3.r.s", "interrupt.fired.r.s",
		"input.turn.raw.3.r.s", "decisions.interrupt.fired.3.r.s", "ckpt..3", "ckpt.ingest.x", "snap.ingest.3.", "dead.ingest.3.r.",
		"turn.raw.99999999999999999999.r.s",
	} {
		got, err := subjects.ParseSubject(subject)
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
		Name: "INPUT", Subjects: subjects.StreamSubjects(events.StreamInput),
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "*.*.*.*", Destination: "{{wildcard(1)}}.{{wildcard(2)}}.{{partition(16,3)}}.{{wildcard(3)}}.{{wildcard(4)}}"},
	})
	require.NoError(t, err)
	for _, in := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions, events.StreamDeadLetter} {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: string(in), Subjects: subjects.StreamSubjects(in)})
		require.NoError(t, err, "subjects of %s overlap with those of another stream", in)
	}
	wanted := map[int]int{}
	for i := range 200 {
		e := events.Event{Type: sessionevents.TypeTurnRaw, Subject: "s", PartitionKey: fmt.Sprintf("Run_%d-%d", i, i*i)}
		subject, err := subjects.PublishedSubject(e)
		require.NoError(t, err)
		_, err = js.Publish(t.Context(), subject, nil)
		require.NoError(t, err)
		wanted[subjects.Partition(e.Group(), 16)]++
	}
	require.Len(t, wanted, 16)
	for p, count := range wanted {
		consumer, err := js.CreateConsumer(t.Context(), "INPUT", jetstream.ConsumerConfig{FilterSubjects: subjects.ConsumerFilters(events.StreamInput, p)})
		require.NoError(t, err, "filters overlap")
		batch, err := consumer.Fetch(count, jetstream.FetchMaxWait(10*time.Second))
		require.NoError(t, err)
		got := 0
		for msg := range batch.Messages() {
			got++
			parsed, err := subjects.ParseSubject(msg.Subject())
			require.NoError(t, err)
			require.Equal(t, subjects.Partition(parsed.Group, 16), parsed.Partition, msg.Subject())
		}
		require.Equal(t, count, got, "partition %d", p)
	}
}

func TestDerivedFiltersDoNotOverlap(t *testing.T) {
	js, err := jetstream.New(testServer(t))
	require.NoError(t, err)
	for _, in := range []events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions} {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: string(in), Subjects: subjects.StreamSubjects(in)})
		require.NoError(t, err)
		consumer, err := js.CreateConsumer(t.Context(), string(in), jetstream.ConsumerConfig{FilterSubjects: subjects.ConsumerFilters(in, 5)})
		require.NoError(t, err, "filters overlap")
		stage := subjects.StageOf(in)
		for _, subject := range []string{subjects.CheckpointSubject(stage, 5), subjects.SnapshotSubject(stage, 5, "g")} {
			_, err = js.Publish(t.Context(), subject, nil)
			require.NoError(t, err)
		}
		info, err := consumer.Info(t.Context())
		require.NoError(t, err)
		require.Zero(t, info.NumPending, "checkpoints and snapshots are no events")
	}
}

func TestSubscriberFilters(t *testing.T) {
	require.Equal(t, "interrupt.fired.*.*.s1", subjects.SessionFilter(sessionevents.TypeInterruptFired, "s1"))
	require.Equal(t, "interrupt.fired.*.r1.>", subjects.RunFilter(sessionevents.TypeInterruptFired, "r1"))
	require.Equal(t, "wiggum.break.*.r1.r1", subjects.RunSubjectFilter(runevents.TypeWiggumBreak, "r1"))
	require.Equal(t, "interrupt.fired.>", subjects.FleetFilter(sessionevents.TypeInterruptFired))
	require.Equal(t, "run.fact.>", subjects.FleetFilter(runevents.TypeGitCommit))
}
