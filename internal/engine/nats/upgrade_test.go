package nats_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Streams of a version that knew fewer event types take the new ones (EV-11).
func TestAddSubjects(t *testing.T) {
	b := natstest.Run(t)
	broker, err := nats.Open(b.Conn, topology.Topology{Partitions: 4}, nats.Keys{}, nil)
	require.NoError(t, err)
	changed, err := topology.AddSubjects(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	require.Empty(t, changed, "nothing is there yet")
	for _, config := range broker.Topology().Streams() {
		if config.Name == "INPUT" {
			config.Subjects = config.Subjects[:3]
		}
		_, err := broker.JetStream().CreateStream(t.Context(), config)
		require.NoError(t, err)
	}
	differences, err := topology.ProvisionOwn(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	require.Len(t, differences, 1)
	changed, err = topology.AddSubjects(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	require.Equal(t, []string{"INPUT"}, changed)
	differences, err = topology.ProvisionOwn(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	require.Empty(t, differences)
}

// An installation from before run watch takes facts of infrastructure, control
// states and closed run events, and keeps what it holds (EV-10, EV-11).
func TestAddSubjectsOfRunWatch(t *testing.T) {
	b := natstest.Run(t)
	broker, err := nats.Open(b.Conn, layout, nats.Keys{}, nil)
	require.NoError(t, err)
	later := []string{"run.fact.*.*", "control.changed.*.*.*", "break.noted.*.*.*", "run.evaluated.*.*.*"}
	for _, config := range broker.Topology().Streams() {
		config.Subjects = slices.DeleteFunc(config.Subjects, func(s string) bool { return slices.Contains(later, s) })
		_, err := broker.JetStream().CreateStream(t.Context(), config)
		require.NoError(t, err)
	}
	for _, config := range broker.Topology().Buckets() {
		_, err := broker.JetStream().CreateKeyValue(t.Context(), config)
		require.NoError(t, err)
	}
	publish(t, broker, turn("s1", "a", "x"))
	_, err = broker.JetStream().Publish(t.Context(), "run.fact.r.r", nil)
	require.ErrorIs(t, err, jetstream.ErrNoStreamResponse)
	differences, err := topology.ProvisionOwn(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	require.Len(t, differences, 2)

	changed, err := topology.AddSubjects(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	require.Equal(t, []string{"INPUT", "DECISIONS"}, changed)
	differences, err = topology.ProvisionOwn(t.Context(), broker.JetStream(), broker.Topology())
	require.NoError(t, err)
	require.Empty(t, differences)
	publish(t, broker, events.Event{
		ID: "c", Source: "/test", Type: runevents.TypeGitCommit, Subject: "r", Time: time.Now(), Data: &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra, ID: "git"}, Branch: "main"},
	})
	decide(t, broker, control("r", "", runevents.ControlHalted, "a"))
	require.EqualValues(t, 2, state(t, broker, "INPUT").Msgs, "what it held is there, and the partition is in the subject")
	input, err := broker.JetStream().Stream(t.Context(), "INPUT")
	require.NoError(t, err)
	_, err = input.GetLastMsgForSubject(t.Context(), fmt.Sprintf("run.fact.%d.r.r", subjects.Partition("r", partitions)))
	require.NoError(t, err)
}
