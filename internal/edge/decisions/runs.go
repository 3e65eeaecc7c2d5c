package decisions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// ErrNoRun is returned if nothing is known of a run.
var ErrNoRun = errors.New("nothing is known of run")

// runFacts are the classes of run events in DECISIONS.
var runFacts = []string{events.ClassRunRaw, events.ClassRunFact, events.ClassOperatorAct}

// Runs folds what DECISIONS holds about runs, latest first: at least the last [runlist.MaxRuns] with any
// activity.
func Runs(ctx context.Context, broker *nats.Broker) ([]runlist.Run, error) {
	var filters []string
	for _, t := range runlist.Types() {
		filters = append(filters, subjects.FleetFilter(t))
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

// ListRuns returns the runs that match a filter, latest first, at most limit (0: all), and their total:
// from the file of the read model if the settings name one that exists, otherwise from DECISIONS.
func ListRuns(ctx context.Context, settings config.Reports, broker *nats.Broker, f runlist.Filter, limit int) (list []runlist.Run, total int, err error) {
	if settings.Database != "" {
		list, total, err = keptRuns(ctx, settings.Database, f, limit)
		if !errors.Is(err, os.ErrNotExist) {
			return list, total, err
		}
	}
	all, err := Runs(ctx, broker)
	if err != nil {
		return nil, 0, err
	}
	all = slices.DeleteFunc(all, func(r runlist.Run) bool { return !f.Match(&r) })
	if limit > 0 && len(all) > limit {
		return all[:limit], len(all), nil
	}
	return all, len(all), nil
}

func keptRuns(ctx context.Context, file string, f runlist.Filter, limit int) ([]runlist.Run, int, error) {
	model, err := readmodel.OpenReadOnly(ctx, file)
	if err != nil {
		return nil, 0, err
	}
	defer model.Close()
	list, err := model.Runs(ctx, f, readmodel.Page{Limit: limit})
	if err != nil {
		return nil, 0, err
	}
	total, err := model.CountRuns(ctx, f)
	return list, total, err
}

// RunOf folds what DECISIONS holds about one run.
func RunOf(ctx context.Context, broker *nats.Broker, id string) (runlist.Run, error) {
	if !events.ValidID(id) {
		return runlist.Run{}, fmt.Errorf("%q is not a run id; ids are 1 to 128 of A-Z a-z 0-9 _ -", id)
	}
	var filters []string
	for _, t := range runlist.Types() {
		filters = append(filters, subjects.RunFilter(t, id))
	}
	for _, class := range runFacts {
		filters = append(filters, "decisions."+class+".*."+id+".>")
	}
	about, _, err := read.About(ctx, broker, "dispatcher", append(filters, subjects.SessionFilter(runevents.TypeWarningIssued, id)))
	if err != nil {
		return runlist.Run{}, fmt.Errorf("read the decisions about %s: %w", id, err)
	}
	fold := runlist.New()
	for _, a := range about {
		if a.Fault == "" {
			fold.Add(a.Input.Event)
		}
	}
	runs := fold.Runs()
	i := slices.IndexFunc(runs, func(r runlist.Run) bool { return r.ID == id })
	if i < 0 {
		return runlist.Run{}, fmt.Errorf("%w %s; `scaffoldwatch runs` lists them", ErrNoRun, naming.Brief(id))
	}
	return runs[i], nil
}

func readRuns(ctx context.Context, broker *nats.Broker, filters []string, fold *runlist.Fold) error {
	err := read.All(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Filters: filters}, func(a read.Accepted) error {
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
