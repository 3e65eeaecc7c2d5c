package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// ErrNoRun says that nothing is known of a run.
var ErrNoRun = errors.New("nothing is known of run")

// runFacts are the classes of run events as DECISIONS holds them.
var runFacts = []string{events.ClassRunRaw, events.ClassRunFact, events.ClassOperatorAct}

// Runs folds what DECISIONS holds about runs, the latest first.
func Runs(ctx context.Context, broker *natsio.Broker) ([]runlist.Run, error) {
	var filters []string
	for _, t := range runlist.Types() {
		filters = append(filters, events.FleetFilter(t))
	}
	for _, class := range runFacts {
		filters = append(filters, "decisions."+class+".>")
	}
	fold := runlist.New()
	if err := readRuns(ctx, broker, filters, fold); err != nil {
		return nil, err
	}
	return fold.Runs(), nil
}

// RunOf folds what DECISIONS holds about one run.
func RunOf(ctx context.Context, broker *natsio.Broker, id string) (runlist.Run, error) {
	if !events.ValidID(id) {
		return runlist.Run{}, fmt.Errorf("%q is no run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", id)
	}
	var filters []string
	for _, t := range runlist.Types() {
		filters = append(filters, events.RunFilter(t, id))
	}
	for _, class := range runFacts {
		filters = append(filters, "decisions."+class+".*."+id+".>")
	}
	fold := runlist.New()
	if err := readRuns(ctx, broker, filters, fold); err != nil {
		return runlist.Run{}, err
	}
	runs := fold.Runs()
	i := slices.IndexFunc(runs, func(r runlist.Run) bool { return r.ID == id })
	if i < 0 {
		return runlist.Run{}, fmt.Errorf("%w %s; `scaffoldwatch runs` lists them", ErrNoRun, id)
	}
	return runs[i], nil
}

func readRuns(ctx context.Context, broker *natsio.Broker, filters []string, fold *runlist.Fold) error {
	err := broker.ReadAll(ctx, natsio.ReaderOptions{Stage: "dispatcher", Partition: natsio.AllPartitions, Filters: filters}, func(a natsio.Accepted) error {
		if a.Fault == "" {
			fold.Add(a.Input.Event)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the decisions about runs: %w", err)
	}
	return nil
}
