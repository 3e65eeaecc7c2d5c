package engine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/enginetest"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

type hearing struct {
	engine.NoObserver
	heard []events.Event
}

func (h *hearing) Listener() func([]events.Event) {
	return func(list []events.Event) { h.heard = append(h.heard, list...) }
}

// A listener hears each event once, in order, although a commit was lost.
func TestListenerHearsWhatWasWritten(t *testing.T) {
	m := newPast(1)
	for i := range 20 {
		m.in.Append(turn("s", fmt.Sprint(i), "small"))
	}
	m.onCommit = func(n int) enginetest.Failure {
		if n == 2 {
			return enginetest.Lost
		}
		return enginetest.None
	}
	h := &hearing{}
	runner := &engine.Runner[*enginetest.State]{
		Machine: enginetest.Tally{}, Identity: identity, Source: m.in, Sink: m.sink(), Observer: h,
		Options: engine.Options{Partitions: 1, MaxInputs: 5, MaxFold: time.Minute},
	}
	require.NoError(t, runner.Run(context.Background()))
	require.Len(t, h.heard, 20)
	seen := map[string]bool{}
	for _, ev := range h.heard {
		require.False(t, seen[ev.ID], "%s was heard twice", ev.ID)
		seen[ev.ID] = true
	}
}
