package gates

import (
	"context"
	"errors"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// open starts the one reader of what is decided.
func (s *service) open(ctx context.Context, o read.Options) (*read.Reader, error) {
	o.Stage, o.Partition = "dispatcher", nats.AllPartitions
	o.Filters = []string{subjects.FleetFilter(runevents.TypeGateDecided), subjects.FleetFilter(runevents.TypeRunEvaluated)}
	return read.Open(ctx, s.Broker, o)
}

// read gives what is decided to the desk until ctx ends, through failures of the
// broker: it goes on where it was, and from now on where that place is gone.
func (s *service) read(ctx context.Context, reader *read.Reader) {
	at := read.Options{Latest: true}
	for ctx.Err() == nil {
		var err error
		if reader == nil {
			reader, err = s.open(ctx, at)
		}
		if err == nil {
			at, err = s.follow(ctx, reader, at)
			reader.Close()
		}
		reader = nil
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, read.ErrTruncated) {
			at = read.Options{Latest: true}
		}
		s.Log.Warn("decisions cannot be read; gates stay closed until they can", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

func (s *service) follow(ctx context.Context, reader *read.Reader, at read.Options) (read.Options, error) {
	for {
		a, err := reader.Next(ctx)
		if err != nil {
			return at, err
		}
		at = read.Options{After: a.Position.Anchor}
		if !a.Idle && a.Fault == "" {
			s.desk.take(a.Input.Event)
		}
	}
}
