package fleet

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/memory"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Three runners at work side by side over streams in memory, in small batches
// and with memory for few states, derive what the chain derives.
func TestRunnersDeriveWhatTheChainDerives(t *testing.T) {
	const partitions = 4
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	input := memory.NewStream(events.StreamInput, partitions)
	segments := memory.NewStream(events.StreamSegments, partitions)
	signals := memory.NewStream(events.StreamSignals, partitions)
	decisions := memory.NewStream(events.StreamDecisions, partitions)

	chain := core.Chain()
	chain.Folded = func(stage string, read events.Event, _ []events.Event, _ string) {
		if stage == core.Ingest.Stage() {
			input.Append(read) // expired timers too
		}
	}
	want := map[string][]string{}
	for i, c := range single(31) {
		if i%4 == 0 {
			for group, list := range lines(t, chain, c.Events) {
				want[group] = append(want[group], list...)
			}
		}
	}
	require.Empty(t, chain.DeadLetters)
	input.End()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return runTo(running, core.Ingest, core.Identity, input, segments) })
	group.Go(func() error { return runTo(running, core.Evaluate, core.Identity, segments, signals) })
	group.Go(func() error { return runTo(running, core.Dispatch, core.Identity, signals, decisions) })
	require.NoError(t, group.Wait())
	require.NoError(t, ctx.Err(), "did not finish")

	got := map[string][]string{}
	for partition := range partitions {
		for message := range decisions.Written(t.Context(), partition) {
			ev, err := events.DecodeMessage(message.Header, message.Data)
			require.NoError(t, err)
			line, err := events.MarshalStructured(ev)
			require.NoError(t, err)
			got[ev.Group()] = append(got[ev.Group()], string(line))
		}
	}
	require.Greater(t, len(want), 20)
	require.Equal(t, want, got)
}

// runTo runs one stage until its source has ended, and then ends its sink.
func runTo[S any](ctx context.Context, machine step.Machine[S], id step.Identity, source, sink *memory.Stream) error {
	defer sink.End()
	runner := &engine.Runner[S]{
		Machine: machine, Identity: id, Source: source, Sink: sink,
		Options: engine.Options{Partitions: 4, MaxInputs: 5, StateBytes: 200_000, StepBudget: time.Minute},
	}
	return runner.Run(ctx)
}
