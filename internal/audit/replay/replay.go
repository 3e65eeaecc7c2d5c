// Package replay derives what stages recorded once more and compares it with the record, byte for byte (AU-10).
package replay

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Heap is how far the heap of a replay may grow before a collection.
const Heap = 512 << 20

// All replays every stage.
const All = "all"

// Options configure a replay.
type Options struct {
	Stage string // or [All]
	Group string // the run, or the session without a run; "" for all
	// Progress shows how much of a stage is done; nil shows nothing.
	Progress func(stage string, of uint64) Bar
}

// Bar is the progress of one stage.
type Bar interface {
	Add(inputs int64)
	Done()
}

func (o Options) leaves(stage string) bool { return o.Stage != All && o.Stage != stage }

// stages are those that derive events, in the order of the pipeline.
var stages = []string{"ingest", "evaluator", "dispatcher"}

// Running replays a running system with the machines that a deployment builds.
func Running(ctx context.Context, from record.Source, deployed deployment.Options, o Options) (Report, error) {
	core, err := machines.New(deployed)
	if err != nil {
		return Report{}, err
	}
	report := newReport(core.Identity)
	for _, stage := range stages {
		if o.leaves(stage) {
			continue
		}
		result, err := o.stage(ctx, from, core, stage)
		if err != nil {
			return report, fmt.Errorf("replay %s: %w", stage, err)
		}
		for i := range result.Other {
			result.Other[i].Changed = record.Changes(ctx, from, result.Other[i].Config, deployed.Applied())
		}
		report.add(result)
		report.Same = report.Same && (result.NotReplayed == "" || o.Stage == All)
	}
	return report, nil
}

// stage replays one stage, unless its input is gone.
func (o Options) stage(ctx context.Context, from record.Source, core *machines.Core, stage string) (result Stage, err error) {
	builds, err := otherBuilds(ctx, from, stage)
	if err != nil {
		return result, err
	}
	name := subjects.SourceOf(stage)
	source, err := from.Stream(ctx, name)
	if err != nil {
		return result, err
	}
	if source.First > 1 && source.CanAge() {
		return Stage{
			Stage: stage, OtherBuilds: builds, NotReplayed: fmt.Sprintf("%s no longer holds the messages before %d", name, source.First),
		}, nil
	}
	d := derivation{from: from, core: core, id: core.Identity, among: func(r engine.Recording) engine.Recording {
		if o.Group == "" {
			return r
		}
		return engine.Only(r, o.Group, subjects.Partition(o.Group, from.Partitions()))
	}}
	if o.Progress != nil {
		bar := o.Progress(stage, source.Kept)
		defer bar.Done()
		d.observer = &counting{bar: bar}
	}
	if result, err = d.of(ctx, stage); err != nil {
		return result, err
	}
	result.OtherBuilds = builds
	if o.Group != "" && result.Groups == 0 {
		result.NotReplayed = fmt.Sprintf("no record of %q was found; a session of a run is part of its run", o.Group)
	}
	return result, nil
}

// otherBuilds returns the builds that wrote a stage's record, nil if every part that names a build names
// this one (AU-12).
func otherBuilds(ctx context.Context, from record.Source, stage string) ([]buildinfo.Build, error) {
	all, err := from.Builds(ctx, stage)
	if err != nil || !slices.ContainsFunc(all, func(b buildinfo.Build) bool { return b != buildinfo.Current() }) {
		return nil, err
	}
	return all, nil
}

// counting advances the progress bar with each input.
type counting struct {
	engine.NoObserver
	mu  sync.Mutex
	bar Bar
}

func (c *counting) Committed(s engine.CommitStats, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bar.Add(int64(s.Inputs))
}

// derivation derives a record again.
type derivation struct {
	from     record.Source
	core     *machines.Core
	id       step.Identity
	among    func(engine.Recording) engine.Recording // the part that is derived
	observer engine.Observer
}

// of derives what one stage recorded.
func (d derivation) of(ctx context.Context, stage string) (result Stage, err error) {
	began := time.Now()
	var got engine.Rederived
	switch stage {
	case d.core.Ingest.Stage():
		got, err = rederive(ctx, d, d.core.Ingest)
	case d.core.Evaluate.Stage():
		got, err = rederive(ctx, d, d.core.Evaluate)
	default:
		got, err = rederive(ctx, d, d.core.Dispatch)
	}
	result.Stage = stage
	result.fill(got, time.Since(began))
	return result, err
}

// maxStates limits the differences whose state is derived again: each folds its group once more.
const maxStates = 5

// rederive derives with one machine. It sets the digest of the state before each of the first differences.
func rederive[S any](ctx context.Context, d derivation, machine step.Machine[S]) (got engine.Rederived, err error) {
	// A replay must not fail because this machine is slow.
	o := engine.Options{Partitions: d.from.Partitions(), StepBudget: engine.NoBudget}
	recording, err := d.from.Recording(ctx, machine.Stage())
	if err != nil {
		return got, err
	}
	if got, err = engine.Rederive(ctx, machine, d.id, d.among(recording), d.observer, o); err != nil {
		return got, err
	}
	first := got.First
	for i := range first[:min(maxStates, len(first))] {
		again, err := d.from.Recording(ctx, machine.Stage())
		if err == nil {
			first[i].State, err = engine.StateBefore(ctx, machine, d.id, again, first[i], o)
		}
		if err != nil {
			return got, fmt.Errorf("derive the state before the difference of %s: %w", first[i].Group, err)
		}
	}
	return got, nil
}
