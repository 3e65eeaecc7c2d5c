package reporter

import (
	"context"
	"log/slog"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

func openModel(ctx context.Context, settings config.Reports, log *slog.Logger) (*readmodel.Model, error) {
	return readmodel.Open(ctx, readmodel.Options{
		Path: settings.Database, MaxBytes: settings.DatabaseBytes, Note: func(text string) { log.Warn(text) },
	})
}

// modelFollower feeds a read model from DECISIONS.
type modelFollower struct {
	model    *readmodel.Model
	broker   *nats.Broker
	log      *slog.Logger
	healthy  func(error)
	maxBytes int64 // of the model
	// before and after are called with each batch before and after it is folded.
	before func(context.Context, []readmodel.Record)
	after  func([]readmodel.Record)
}

// run folds events until ctx ends or something fails.
func (f *modelFollower) run(ctx context.Context) error {
	at, err := f.position(ctx)
	if err != nil {
		return err
	}
	reader, err := read.Open(ctx, f.broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, After: at.Anchor})
	if err != nil {
		return err
	}
	defer reader.Close()
	f.healthy(nil)
	for {
		batch, err := decisions.NextBatch(ctx, reader)
		if err != nil {
			return err
		}
		f.before(ctx, batch)
		if at, err = f.model.Apply(ctx, at, batch); err != nil {
			return err
		}
		f.after(batch)
	}
}

// position returns the model's position; it empties the model if it was built from a different stream, and completes it
// if an earlier version filled it.
func (f *modelFollower) position(ctx context.Context) (readmodel.Position, error) {
	extent, err := f.broker.Extent(ctx, "dispatcher")
	if err != nil {
		return readmodel.Position{}, err
	}
	at, err := f.model.Position(ctx)
	if err != nil {
		return at, err
	}
	if at.Stream == extent.Identity && at.Anchor <= extent.Last {
		return f.completed(ctx, at)
	}
	if at.Sequence > 0 {
		f.log.Warn("DECISIONS is not the stream that the read model was built from; rebuilding it", "read", at.Sequence, "holds", extent.Last)
	}
	if err := f.model.Reset(ctx, extent.Identity); err != nil {
		return at, err
	}
	return f.model.Position(ctx)
}

// completed completes a model that lacks columns, and returns its position.
func (f *modelFollower) completed(ctx context.Context, at readmodel.Position) (readmodel.Position, error) {
	lacks, err := f.model.Lacks(ctx)
	if err != nil || !lacks {
		return at, err
	}
	f.log.Info("an earlier version filled the read model; DECISIONS completes its rows", "through", at.Sequence)
	if err := complete(ctx, f.model, f.broker, f.maxBytes); err != nil {
		return at, err
	}
	return f.model.Position(ctx)
}
