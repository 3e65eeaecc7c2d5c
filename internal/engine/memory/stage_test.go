package memory

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var identity = step.Identity{RulesVersion: "1", ConfigHash: "c"}

func turn(session, id, text string) events.Event {
	return events.Event{
		ID: id, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: session, PartitionKey: session, Time: noon,
		Data: &sessionevents.Turn{Session: session, TurnID: id, Text: text},
	}
}

// count folds an event and returns how many turns the stage has counted.
func count(t *testing.T, s Stage, ev events.Event) int {
	t.Helper()
	out, fault := s.Fold(ev)
	require.Empty(t, fault)
	require.Len(t, out, 1)
	return out[0].Data.(*sessionevents.TurnEvaluated).Turn
}

func tallies(t *testing.T, machine enginetest.Tally) (Stage, *past) {
	t.Helper()
	s, is := NewStage(machine, identity).(*machineStage[*enginetest.State])
	require.True(t, is)
	return s, s.past
}

func TestAClosedSessionKeepsItsSnapshotOnly(t *testing.T) {
	s, past := tallies(t, enginetest.Tally{Name: "ingest", Pad: 100_000})
	for i := range 10 {
		require.Equal(t, i+1, count(t, s, turn("a", strconv.Itoa(i), "x")))
	}
	require.Len(t, past.groups["a"].tail, 10)
	require.Equal(t, 11, count(t, s, closes("a", 0)))
	require.Empty(t, past.groups["a"].tail)
	require.Less(t, len(past.groups["a"].snapshot.Data), 1000)
	require.False(t, s.(*machineStage[*enginetest.State]).kernel.Holds("a"), "the state is still in memory")
	require.Equal(t, 12, count(t, s, turn("a", "later", "x")), "it is rebuilt when its session goes on")
}

func TestATailIsBounded(t *testing.T) {
	s, past := tallies(t, enginetest.Tally{Name: "ingest"})
	for i := range 3*snapshotEvery + 5 {
		count(t, s, turn("a", strconv.Itoa(i), "x"))
		require.Less(t, len(past.groups["a"].tail), snapshotEvery)
	}
	require.EqualValues(t, 3*snapshotEvery, past.groups["a"].snapshot.Sequence)
	for _, err := range past.Tail(t.Context(), "a", 5, 6) {
		require.ErrorContains(t, err, "were dropped")
	}
}

// The state after an input that failed half way is the one before it, from a
// snapshot and from the beginning; the reason is the one that a service gives.
func TestPoisonLeavesTheStateAsItWas(t *testing.T) {
	for _, before := range []int{0, 3, snapshotEvery, snapshotEvery + 3} {
		s, _ := tallies(t, enginetest.Tally{Name: "ingest"})
		for i := range before {
			count(t, s, turn("a", strconv.Itoa(i), "x"))
		}
		out, fault := s.Fold(turn("a", "p", "panic now"))
		require.Contains(t, fault, "step panics at tally.go:")
		require.NotContains(t, fault, "secret", "a panic's value may quote the input (SW-7)")
		require.Len(t, out, 1)
		require.Equal(t, fault, out[0].Data.(*sessionevents.TurnEvaluated).Failed)
		_, fault = s.Fold(turn("a", "e", "error now"))
		require.Equal(t, "step fails: told to fail", fault)
		require.Equal(t, before+1, count(t, s, turn("a", "after", "x")))
	}
}

// The chain and three runners over streams derive the same bytes, poison included.
func TestTheChainDerivesWhatRunnersDerive(t *testing.T) {
	const partitions = 4
	names := []string{"ingest", "evaluator", "dispatcher"}
	machine := func(name string) enginetest.Tally { return enginetest.Tally{Name: name} }
	chain := NewChain(NewStage(machine(names[0]), identity), NewStage(machine(names[1]), identity), NewStage(machine(names[2]), identity))
	streams := []*Stream{NewStream(events.StreamInput, partitions)}
	want := map[string][]string{}
	for i := range 600 {
		text := strings.Repeat("x", i%40)
		if i%37 == 0 {
			text = "panic now"
		} else if i%11 == 0 {
			text = "many 3"
		}
		ev := turn(fmt.Sprintf("s%d", i%9), strconv.Itoa(i), text)
		streams[0].Append(ev)
		for _, decided := range chain.Feed(ev) {
			want[decided.Group()] = append(want[decided.Group()], structured(t, decided))
		}
	}
	streams[0].End()
	for i, name := range names {
		out := NewStream([]events.Stream{events.StreamSegments, events.StreamSignals, events.StreamDecisions}[i], partitions)
		runner := &engine.Runner[*enginetest.State]{
			Machine: machine(name), Identity: identity, Source: streams[i], Sink: out,
			Options: engine.Options{Partitions: partitions, MaxInputs: 7, StateBytes: 3000},
		}
		require.NoError(t, runner.Run(t.Context()))
		out.End()
		streams = append(streams, out)
	}
	got := map[string][]string{}
	for partition := range partitions {
		for message := range streams[3].Written(t.Context(), partition) {
			ev, err := events.DecodeMessage(message.Header, message.Data)
			require.NoError(t, err)
			got[ev.Group()] = append(got[ev.Group()], structured(t, ev))
		}
	}
	require.Len(t, want, 9)
	require.Equal(t, want, got)
	require.Len(t, chain.DeadLetters, len(streams[1].DeadLetters()))
	require.NotEmpty(t, chain.DeadLetters)
}

func structured(t *testing.T, ev events.Event) string {
	t.Helper()
	data, err := events.MarshalStructured(ev)
	require.NoError(t, err)
	return string(data)
}
