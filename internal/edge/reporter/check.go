package reporter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Checked is the result of comparing the read model with DECISIONS.
type Checked struct {
	Sequence    uint64 // sequence of DECISIONS up to which the file was folded
	Other       bool   // it was built from a different DECISIONS: a reporter rebuilds it
	Behind      bool   // it still has what an operator erased later: a reporter removes it
	Lacks       bool   // an earlier version filled it: a reporter completes it
	Kept        readmodel.Kept
	Differences []readmodel.Difference
}

// Check builds a second model from DECISIONS, in the temporary directory, up to the position of the
// configured file, and compares the two: rows are a function of the stream, so deleted or edited rows are
// found. A reporter may be using the file meanwhile.
func Check(ctx context.Context, settings config.Reports, broker *nats.Broker) (found Checked, err error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-check-")
	if err != nil {
		return found, fmt.Errorf("check the read model: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	file := filepath.Join(folder, "kept.db")
	if err := readmodel.Copy(ctx, settings.Database, file); err != nil {
		return found, err
	}
	at, lacks, err := standOf(ctx, file)
	if err != nil {
		return found, err
	}
	found.Sequence = at.Sequence
	extent, err := broker.Extent(ctx, "dispatcher")
	if err != nil {
		return found, err
	}
	if at.Sequence > 0 && (at.Stream != extent.Identity || at.Anchor > extent.Last) {
		found.Other = true
		return found, nil
	}
	if found.Lacks = lacks; lacks {
		return found, nil
	}
	again, err := readmodel.Open(ctx, readmodel.Options{Path: filepath.Join(folder, "again.db"), MaxBytes: settings.DatabaseBytes})
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, again.Close()) }()
	stored, err := read.LookUp(ctx, broker, events.StreamDecisions)
	if err != nil {
		return found, err
	}
	found.Kept.Aged = stored.CanAge()
	purges, err := fillThrough(ctx, again, broker, at.Sequence)
	if err != nil {
		return found, fmt.Errorf("check the read model: read the decisions: %w", err)
	}
	found.Kept.Purged, found.Behind = purges > 0, purges > at.Sequence
	if found.Behind {
		return found, nil
	}
	found.Differences, err = again.Compare(ctx, file, found.Kept)
	return found, err
}

// standOf returns how far a file was folded, and whether it lacks columns.
func standOf(ctx context.Context, file string) (at readmodel.Position, lacks bool, err error) {
	m, err := readmodel.OpenReadOnly(ctx, file)
	if err != nil {
		return at, false, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if at, err = m.Position(ctx); err != nil {
		return at, false, err
	}
	lacks, err = m.Lacks(ctx)
	return at, lacks, err
}

// complete fills what the rows of an earlier version lack: from a second model, in the temporary directory, that is
// folded up to the same position.
func complete(ctx context.Context, model *readmodel.Model, broker *nats.Broker, maxBytes int64) (err error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-complete-")
	if err != nil {
		return fmt.Errorf("complete the read model: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	at, err := model.Position(ctx)
	if err != nil {
		return err
	}
	file := filepath.Join(folder, "again.db")
	again, err := readmodel.Open(ctx, readmodel.Options{Path: file, MaxBytes: maxBytes})
	if err != nil {
		return err
	}
	_, err = fillThrough(ctx, again, broker, at.Sequence)
	if err = errors.Join(err, again.Close()); err != nil {
		return fmt.Errorf("complete the read model: read the decisions: %w", err)
	}
	return model.Complete(ctx, file)
}

// fillThrough folds DECISIONS up to a sequence. It reads all of the stream, and returns the sequence of the
// last purge, 0 if there is none.
func fillThrough(ctx context.Context, m *readmodel.Model, broker *nats.Broker, through uint64) (purged uint64, err error) {
	at, err := m.Position(ctx)
	if err != nil {
		return 0, err
	}
	var batch []readmodel.Record
	fold := func() (err error) {
		at, err = m.Apply(ctx, at, batch)
		batch = batch[:0]
		return err
	}
	all := read.Options{Stage: "dispatcher", Partition: nats.AllPartitions}
	err = read.All(ctx, broker, all, func(a read.Accepted) error {
		if a.Fault == "" && a.Input.Event.Type == runevents.TypeContentPurged {
			purged = a.Position.Sequence
		}
		if a.Position.Sequence > through {
			return nil
		}
		if batch = decisions.WithRecord(batch, a); len(batch) < 10*decisions.Batch {
			return nil
		}
		return fold()
	})
	if err != nil {
		return purged, err
	}
	return purged, fold()
}
