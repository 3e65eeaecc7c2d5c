package nats

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// ends caches the last sequences of streams: many readings of one stream wait at the same time
// and share a look at it.
type ends struct {
	asking singleflight.Group

	mu    sync.Mutex
	known map[events.Stream]end
}

type end struct {
	last   uint64
	looked time.Time
}

func newEnds() *ends { return &ends{known: map[events.Stream]end{}} }

// of returns the last sequence of a stream, from a look that is at most ago old; 0 asks the
// broker.
func (e *ends) of(ctx context.Context, s *proof.Store, stream events.Stream, ago time.Duration) (uint64, error) {
	if ago == 0 {
		state, err := s.State(ctx)
		return state.LastSeq, err
	}
	e.mu.Lock()
	known := e.known[stream]
	e.mu.Unlock()
	if time.Since(known.looked) < ago {
		return known.last, nil
	}
	last, err, _ := e.asking.Do(string(stream), func() (any, error) {
		now := time.Now()
		state, err := s.State(ctx)
		if err != nil {
			return uint64(0), err
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.known[stream] = end{last: state.LastSeq, looked: now}
		return state.LastSeq, nil
	})
	if err != nil {
		return 0, fmt.Errorf("look for the end: %w", err)
	}
	return last.(uint64), nil
}
