package decisions

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// Batch limits how many events are folded into the read model at once.
const Batch = 500

// NextBatch waits for an event and takes what else is at hand.
func NextBatch(ctx context.Context, reader *read.Reader) ([]readmodel.Record, error) {
	var batch []readmodel.Record
	for len(batch) == 0 {
		a, err := reader.Next(ctx)
		if err != nil {
			return nil, err
		}
		batch = WithRecord(batch, a)
	}
	for len(batch) < Batch {
		a, ok, err := reader.Ready(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		batch = WithRecord(batch, a)
	}
	return batch, nil
}

// WithRecord adds what the read model takes: events. One that cannot be read
// only moves the position.
func WithRecord(batch []readmodel.Record, a read.Accepted) []readmodel.Record {
	if a.Idle {
		return batch
	}
	r := readmodel.Record{Sequence: a.Position.Sequence, Anchor: a.Position.Anchor, Stored: a.Stored}
	if a.Fault == "" {
		r.Event = a.Input.Event
	}
	return append(batch, r)
}

// ReadAfresh are settings without a file: queries read from DECISIONS.
var ReadAfresh = config.Reports{}

// ReadModel returns the read model to query: the file of the settings if it exists, otherwise one in
// memory, filled from DECISIONS with the events that match filters (none: all).
func ReadModel(ctx context.Context, settings config.Reports, broker *nats.Broker, filters ...string) (*readmodel.Model, error) {
	return ReadModelBy(ctx, settings, nil, broker, filters...)
}

// ReadModelBy is [ReadModel] that also records in a reading under which rules the events were decided; nil
// records nothing.
func ReadModelBy(ctx context.Context, settings config.Reports, by *Reading, broker *nats.Broker, filters ...string) (*readmodel.Model, error) {
	if settings.Database != "" && len(filters) == 0 {
		m, err := readmodel.OpenReadOnly(ctx, settings.Database)
		if !errors.Is(err, os.ErrNotExist) {
			return m, err
		}
	}
	m, err := readmodel.Open(ctx, readmodel.Options{})
	if err != nil {
		return nil, err
	}
	if err := Fill(ctx, m, by, broker, filters); err != nil {
		return nil, errors.Join(fmt.Errorf("read the decisions: %w", err), m.Close())
	}
	return m, nil
}

// Fill folds the decisions that match filters (none: all) into a model and records in by, which may be nil,
// under which rules they were made.
func Fill(ctx context.Context, m *readmodel.Model, by *Reading, broker *nats.Broker, filters []string) error {
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
	err = read.All(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: filters}, func(a read.Accepted) error {
		batch = WithRecord(batch, a)
		if by != nil && a.Fault == "" {
			by.saw(a.Input.Event)
		}
		if len(batch) < 10*Batch {
			return nil
		}
		return fold()
	})
	if err != nil {
		return err
	}
	return fold()
}
