package gates

import (
	"context"
	"errors"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// open starts the one reader of what is decided.
func (s *service) open(ctx context.Context, o nats.ReaderOptions) (*nats.Reader, error) {
	o.Stage, o.Partition = "dispatcher", nats.AllPartitions
	o.Filters = []string{subjects.FleetFilter(runevents.TypeGateDecided), subjects.FleetFilter(runevents.TypeRunEvaluated)}
	return s.Broker.Reader(ctx, o)
}

// read gives what is decided to the desk until ctx ends, through failures of the
// broker: it goes on where it was, and from now on where that place is gone.
func (s *service) read(ctx context.Context, reader *nats.Reader) {
	at := nats.ReaderOptions{Latest: true}
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
		if errors.Is(err, nats.ErrTruncated) {
			at = nats.ReaderOptions{Latest: true}
		}
		s.Log.Warn("decisions are not read, gates stay closed until they are", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

func (s *service) follow(ctx context.Context, reader *nats.Reader, at nats.ReaderOptions) (nats.ReaderOptions, error) {
	for {
		a, err := reader.Next(ctx)
		if err != nil {
			return at, err
		}
		at = nats.ReaderOptions{After: a.Position.Anchor}
		if !a.Idle && a.Fault == "" {
			s.desk.take(a.Input.Event)
		}
	}
}
