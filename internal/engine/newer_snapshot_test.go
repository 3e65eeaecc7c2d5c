package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// refusals counts how often a partition could not be continued.
type refusals struct {
	engine.NoObserver
	heard chan error
}

func (r *refusals) Restarting(partition int, err error) {
	select {
	case r.heard <- fmt.Errorf("partition %d: %w", partition, err):
	default:
	}
}

// A newer program's snapshot stops an older instance in that partition alone; a newer one goes on from it, and
// nothing is lost (EV-11, rolling upgrades).
func TestANewerSnapshotStopsOnlyItsPartition(t *testing.T) {
	m := livePast(2)
	group := func(partition int) string {
		for i := 0; ; i++ {
			if name := fmt.Sprint("s", i); subjects.Partition(name, 2) == partition {
				return name
			}
		}
	}
	newer, other := group(0), group(1)
	m.setSnapshot(t, engine.Snapshot{Group: newer, Version: 9, Data: pack(t, `{"count":40}`)})
	for i := range 5 {
		m.in.Append(turn(newer, fmt.Sprint("a", i), "x"))
		m.in.Append(turn(other, fmt.Sprint("b", i), "x"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := engine.Options{Partitions: 2, MinPause: 1, MaxPause: 1}
	heard := &refusals{heard: make(chan error, 1)}
	ended := make(chan error, 1)
	go func() {
		older := &engine.Runner[*enginetest.State]{
			Machine: enginetest.Tally{Schema: 3}, Identity: identity, Source: m.in, Sink: m.sink(), Options: o,
			Observer: heard,
		}
		ended <- older.Run(ctx)
	}()
	require.ErrorContains(t, <-heard.heard,
		"partition 0: the snapshot of "+newer+" has schema version 9, this program reads up to 3: upgrade it")
	goesOn := func() bool { return m.out.Position(1).Sequence == 10 }
	require.Eventually(t, goesOn, time.Minute, time.Millisecond, "the other partition")
	require.Zero(t, m.out.Position(0).Sequence)
	cancel()
	require.NoError(t, <-ended)

	m.in.End()
	run(t, m, enginetest.Tally{Schema: 9}, o)
	require.EqualValues(t, 9, m.out.Position(0).Sequence)
	require.Contains(t, lastLine(t, m), `"turn":45,`)
}
