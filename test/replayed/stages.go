// Package replayed replays every stage of what was recorded, for the tests that hold a
// recording against today's build: histories, chaos and end-to-end (AU-10).
package replayed

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

// Stage is the result of replaying one stage.
type Stage struct {
	Name   string
	Result engine.Rederived
}

// Recordings returns the past of a stage.
type Recordings func(stage string) (engine.Recording, error)

// Stages folds the recorded input of each stage again. The derived events carry the given
// identity, so that only what is decided is compared if it is the recorded one.
func Stages(ctx context.Context, core *machines.Core, id step.Identity, of Recordings, partitions int) ([]Stage, error) {
	ingest, err := stage(ctx, core.Ingest, id, of, partitions)
	if err != nil {
		return nil, err
	}
	evaluator, err := stage(ctx, core.Evaluate, id, of, partitions)
	if err != nil {
		return nil, err
	}
	dispatcher, err := stage(ctx, core.Dispatch, id, of, partitions)
	return []Stage{ingest, evaluator, dispatcher}, err
}

func stage[S any](ctx context.Context, machine step.Machine[S], id step.Identity, of Recordings, partitions int) (Stage, error) {
	name := machine.Stage()
	r, err := of(name)
	if err != nil {
		return Stage{}, fmt.Errorf("open the recording of %s: %w", name, err)
	}
	got, err := engine.Rederive(ctx, machine, id, r, nil, engine.Options{Partitions: partitions, StepBudget: engine.NoBudget})
	if err != nil {
		return Stage{}, fmt.Errorf("replay %s: %w", name, err)
	}
	return Stage{Name: name, Result: got}, nil
}

// Differ counts the sessions and runs that were not derived as recorded, or could not be
// compared.
func (s Stage) Differ() int {
	n := len(s.Result.First)
	for _, o := range s.Result.Other {
		n += o.Groups
	}
	return n
}
