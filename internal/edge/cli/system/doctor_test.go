package system

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	natsprogress "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/progress"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// A system whose ingest has consumed all turns and that has no evaluator.
func halfRunning(t *testing.T, turns int) *nats.Broker {
	t.Helper()
	b, err := nats.Open(natstest.Run(t).Conn, topology.Topology{Partitions: 2}, nats.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(t.Context(), b.JetStream(), b.Topology())
	require.NoError(t, err)
	for i := range turns {
		ev := events.Event{
			ID: fmt.Sprintf("e%d", i), Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: "s1", Time: time.Unix(1_700_000_000, 0).UTC(),
			Data: &sessionevents.Turn{Session: "s1", TurnID: fmt.Sprintf("t%d", i), Format: "markdown", Text: "x"},
		}
		subject, err := subjects.PublishedSubject(ev)
		require.NoError(t, err)
		header, data, err := events.EncodeBinary(ev)
		require.NoError(t, err)
		_, err = b.JetStream().PublishMsg(t.Context(), &natsgo.Msg{Subject: subject, Header: header, Data: data})
		require.NoError(t, err)
	}
	source, err := natssource.Of(b, "ingest")
	require.NoError(t, err)
	sink, err := commit.Sink(b, "ingest")
	require.NoError(t, err)
	runner := &engine.Runner[*enginetest.State]{
		Machine: enginetest.Tally{Name: "ingest"}, Identity: step.Identity{RulesVersion: "1", ConfigHash: "c"}, Source: source, Sink: sink,
		Options: engine.Options{Partitions: 2},
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- runner.Run(ctx) }()
	require.Eventually(t, func() bool {
		progress, err := natsprogress.Look(t.Context(), b, "ingest")
		return err == nil && backlogText(progress) == "up to date"
	}, time.Minute, 20*time.Millisecond)
	cancel()
	require.NoError(t, <-done)
	return b
}

// checked runs a check and returns its lines and how many need attention.
func checked(t *testing.T, check func(*checkup)) (lines []string, attention int) {
	t.Helper()
	var out bytes.Buffer
	c := &checkup{Call: &cli.Call{Context: t.Context(), Stdout: &out}}
	check(c)
	return strings.Split(strings.TrimSpace(out.String()), "\n"), c.attention
}

// The doctor says how much waits for each stage.
func TestDoctorCountsTheBacklog(t *testing.T) {
	b := halfRunning(t, 40)
	lines, attention := checked(t, func(c *checkup) { stages(c, b) })
	require.Zero(t, attention, "nothing has waited for long")
	require.Regexp(t, `^ok +ingest +up to date$`, lines[0])
	require.Regexp(t, `^ok +evaluator +\d+ messages waiting, the oldest for `, lines[1])
	require.Regexp(t, `^ok +dispatcher +up to date$`, lines[2])
}

// An account whose publishers are refused is named.
func TestDoctorNamesWhoSendsTooMuch(t *testing.T) {
	limits := topology.Topology{Partitions: 2, Intakes: []topology.Intake{{Account: "SHOP", Messages: 3, Window: time.Hour}}}
	b, err := nats.Open(natstest.Run(t).Conn, limits, nats.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(t.Context(), b.JetStream(), b.Topology())
	require.NoError(t, err)
	send := func() error {
		_, err := b.JetStream().Publish(t.Context(), "intake.SHOP.turn.raw.g.s", []byte("{}"))
		return err
	}
	for range 2 {
		require.NoError(t, send())
	}
	lines, attention := checked(t, func(c *checkup) { intakes(c, b) })
	require.Zero(t, attention)
	require.Regexp(t, `^ok +intakes +SHOP sent 2 of 3 messages in 1h0m0s`, lines[0])
	require.NoError(t, send())
	require.ErrorContains(t, send(), "maximum messages exceeded")
	lines, attention = checked(t, func(c *checkup) { intakes(c, b) })
	require.Equal(t, 1, attention)
	require.Regexp(t, `^WARN +intakes +SHOP sent 3 of 3 messages in 1h0m0s; its publishers are rejected until`, lines[0])
}

// Events erased on disk are found: fewer than all of a batch, and a whole batch.
func TestDoctorFindsErasedEvents(t *testing.T) {
	b := halfRunning(t, 40)
	verified := func(c *checkup) {
		report, err := chain.Verify(t.Context(), record.Running(b), chain.Options{Partitions: b.Topology().Partitions})
		intact(c, report, err)
	}
	lines, attention := checked(t, verified)
	require.Zero(t, attention)
	require.Regexp(t, `^ok +record +verified: \d+ events`, lines[0])
	stream, err := b.JetStream().Stream(t.Context(), string(events.StreamSegments))
	require.NoError(t, err)
	info, err := stream.Info(t.Context())
	require.NoError(t, err)
	erased := 0
	for sequence := uint64(1); sequence < info.State.LastSeq && erased < 3; sequence++ {
		m, err := stream.GetMsg(t.Context(), sequence)
		if err != nil || strings.HasPrefix(m.Subject, "snap.") || strings.HasPrefix(m.Subject, "ckpt.") {
			continue
		}
		require.NoError(t, stream.DeleteMsg(t.Context(), sequence))
		erased++
	}
	require.Equal(t, 3, erased)
	lines, attention = checked(t, verified)
	require.Equal(t, 1, attention)
	require.Regexp(t, `^WARN +record +NOT verified: 3 findings`, lines[0])
	require.Contains(t, strings.Join(lines, " "), "erased event")
	require.NotContains(t, strings.Join(lines, " "), "backup")
}

func TestTheClockIsAheadOrBehind(t *testing.T) {
	require.Equal(t, "3s ahead of the server's", clockWords(3*time.Second))
	require.Equal(t, "1h0m0s behind the server's", clockWords(-time.Hour))
}

// With nothing waiting, stages without an instance look up to date: that nobody runs them is said.
func TestDoctorNamesStagesThatNobodyRuns(t *testing.T) {
	two := topology.Topology{Partitions: 2, Beat: 100 * time.Millisecond}
	b, err := nats.Open(natstest.Run(t).Conn, two, nats.Keys{}, nil)
	require.NoError(t, err)
	_, err = topology.ProvisionOwn(t.Context(), b.JetStream(), b.Topology())
	require.NoError(t, err)
	said := func() (string, int) {
		lines, attention := checked(t, func(c *checkup) { instances(c, b) })
		require.Len(t, lines, 1)
		return lines[0], attention
	}
	join := func(stage, instance string) context.CancelFunc {
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		_, err := keep.Members(ctx, b, stage, instance)
		require.NoError(t, err)
		return cancel
	}
	line, attention := said()
	require.Equal(t, 1, attention)
	require.Regexp(t, `^WARN +instances +no ingest, no evaluator, no dispatcher runs`, line)

	join("ingest", "a")
	join("ingest", "b")
	join("evaluator", "a")
	stop := join("dispatcher", "a")
	line, attention = said()
	require.Equal(t, 1, attention)
	require.Regexp(t, `^WARN +instances +no reporter runs.*nobody is notified`, line)
	reporter, end := context.WithCancel(t.Context())
	defer end()
	go keep.Beat(reporter, b, keep.Reporter, "a", func(err error) { t.Error(err) })
	require.Eventually(t, func() bool {
		line, attention = said()
		return attention == 0
	}, time.Minute, 20*time.Millisecond)
	require.Regexp(t, `^ok +instances +2 of ingest, 1 of evaluator, 1 of dispatcher, 1 of reporter$`, line)
	running, err := keep.Running(t.Context(), b)
	require.NoError(t, err)
	require.Equal(t, []string{"dispatcher a", "evaluator a", "ingest a", "ingest b"}, running, "a restore does not wait for a reporter")
	end()
	require.Eventually(t, func() bool {
		line, attention = said()
		return attention == 1 && strings.Contains(line, "no reporter runs")
	}, time.Minute, 20*time.Millisecond)

	stop()
	require.Eventually(t, func() bool {
		line, attention = said()
		return attention == 1 && strings.Contains(line, "no dispatcher runs")
	}, time.Minute, 20*time.Millisecond, "a farewell expires")

	require.NoError(t, vitals.Answer(b.Conn(), func() map[string]string { return map[string]string{"streams": "ok"} }))
	lines, attention := checked(t, func(c *checkup) { instances(c, b) })
	require.Zero(t, attention, "`up` sends no heartbeats")
	require.Equal(t, []string{""}, lines)
}
