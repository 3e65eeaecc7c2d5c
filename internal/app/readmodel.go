package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// modelBatch is how many events are folded into the read model at once, at most.
const modelBatch = 500

func openModel(ctx context.Context, settings config.Reports, by *Reading, log *slog.Logger) (*readmodel.Model, error) {
	return readmodel.Open(ctx, readmodel.Options{
		Path: settings.Database, MaxBytes: settings.DatabaseBytes, Judge: by.judge(), Note: func(text string) { log.Warn(text) },
	})
}

// modelFollower feeds a read model from DECISIONS.
type modelFollower struct {
	model   *readmodel.Model
	broker  *nats.Broker
	log     *slog.Logger
	healthy func(error)
	// before and after hear of each batch before and after it is folded.
	before func(context.Context, []readmodel.Record)
	after  func([]readmodel.Record)
}

// run folds what comes until ctx ends or something fails.
func (f *modelFollower) run(ctx context.Context) error {
	at, err := f.position(ctx)
	if err != nil {
		return err
	}
	reader, err := f.broker.Reader(ctx, nats.ReaderOptions{Stage: "dispatcher", Partition: nats.AllPartitions, After: at.Anchor})
	if err != nil {
		return err
	}
	defer reader.Close()
	f.healthy(nil)
	for {
		batch, err := nextBatch(ctx, reader)
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

// position is where the model stands; it is emptied when it was built from
// another stream than there is now.
func (f *modelFollower) position(ctx context.Context) (readmodel.Position, error) {
	extent, err := f.broker.Extent(ctx, "dispatcher")
	if err != nil {
		return readmodel.Position{}, err
	}
	at, err := f.model.Position(ctx)
	if err != nil || at.Stream == extent.Identity && at.Anchor <= extent.Last {
		return at, err
	}
	if at.Sequence > 0 {
		f.log.Warn("DECISIONS is another stream than the read model was built from; it is built anew", "read", at.Sequence, "holds", extent.Last)
	}
	if err := f.model.Reset(ctx, extent.Identity); err != nil {
		return at, err
	}
	return f.model.Position(ctx)
}

// nextBatch waits for an event and takes what else is at hand.
func nextBatch(ctx context.Context, reader *nats.Reader) ([]readmodel.Record, error) {
	var batch []readmodel.Record
	for len(batch) == 0 {
		a, err := reader.Next(ctx)
		if err != nil {
			return nil, err
		}
		batch = withRecord(batch, a)
	}
	for len(batch) < modelBatch {
		a, ok, err := reader.Ready(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		batch = withRecord(batch, a)
	}
	return batch, nil
}

// withRecord adds what the read model takes: events. One that cannot be read
// only moves the position.
func withRecord(batch []readmodel.Record, a nats.Accepted) []readmodel.Record {
	if a.Idle {
		return batch
	}
	r := readmodel.Record{Sequence: a.Position.Sequence, Anchor: a.Position.Anchor}
	if a.Fault == "" {
		r.Event = a.Input.Event
	}
	return append(batch, r)
}

// ReadAfresh are settings without a file: what is asked is read from DECISIONS.
var ReadAfresh = config.Reports{}

// ReadModel is the read model to ask: the file of the settings where there is
// one, else one in memory, filled from DECISIONS with the events that filters
// select (none: all).
func ReadModel(ctx context.Context, settings config.Reports, broker *nats.Broker, filters ...string) (*readmodel.Model, error) {
	return ReadModelBy(ctx, settings, nil, broker, filters...)
}

// ReadModelBy judges breaks and corrections by the rules of a reading, where they
// are not judged in the file; nil takes those of the embedded rule data.
func ReadModelBy(ctx context.Context, settings config.Reports, by *Reading, broker *nats.Broker, filters ...string) (*readmodel.Model, error) {
	if settings.Database != "" && len(filters) == 0 {
		m, err := readmodel.OpenReadOnly(ctx, settings.Database)
		if !errors.Is(err, os.ErrNotExist) {
			return m, err
		}
	}
	m, err := readmodel.Open(ctx, readmodel.Options{Judge: by.judge()})
	if err != nil {
		return nil, err
	}
	if err := fillModel(ctx, m, by, broker, filters); err != nil {
		return nil, errors.Join(fmt.Errorf("read the decisions: %w", err), m.Close())
	}
	return m, nil
}

func fillModel(ctx context.Context, m *readmodel.Model, by *Reading, broker *nats.Broker, filters []string) error {
	at, err := m.Position(ctx)
	if err != nil {
		return err
	}
	var batch []readmodel.Record
	fold := func() error {
		at, err = m.Apply(ctx, at, batch)
		batch = batch[:0]
		return err
	}
	err = broker.ReadAll(ctx, nats.ReaderOptions{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: filters}, func(a nats.Accepted) error {
		batch = withRecord(batch, a)
		if by != nil && a.Fault == "" {
			by.saw(a.Input.Event)
		}
		if len(batch) < 10*modelBatch {
			return nil
		}
		return fold()
	})
	if err != nil {
		return err
	}
	return fold()
}
