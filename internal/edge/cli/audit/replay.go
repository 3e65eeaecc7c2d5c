package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Replay derives recorded events again and compares them with the record.
type Replay struct {
	cli.Connection
	Stage  string `help:"Stage to replay: ingest, evaluator, dispatcher or all." enum:"ingest,evaluator,dispatcher,all" default:"all"`
	Group  string `arg:"" optional:"" help:"Run, or session without a run; default: all of them. Or a bundle."`
	Rules  string `help:"Rules file (YAML), default: that of the configuration." type:"path" placeholder:"FILE"`
	Under  string `help:"Use the rules that the services stored under this configuration hash, instead of --rules." placeholder:"HASH"`
	Output string `short:"o" help:"Output: text or json." enum:"text,json" default:"text"`
}

// Help explains what is compared with what.
func (Replay) Help() string {
	return `Folds the recorded input of each stage again, with this build and these rules, and
compares every event with the recorded one, byte for byte. Of each run or session it shows
the first difference: the input that caused it, the field, and both events. It changes
nothing and can run alongside a live system.

What was recorded under other rules or another configuration is not compared; one line says
so and names the settings that changed. --under HASH derives it with what applied then: the
services store in the bucket RULES what each configuration hash names. A bundle (scaffoldwatch export) is replayed without a system, under the rules in it
unless --rules names others. ingest can be replayed as long as INPUT holds what it read (streams.input_max_age).

Exit codes: 0 what can be replayed is the same, 1 something differs, was recorded under
other rules, or is of a stage named with --stage and can no longer be replayed, 2 usage.

Examples:
  scaffoldwatch replay
  scaffoldwatch replay --stage dispatcher nightly-42
  scaffoldwatch replay --under 4f1d22a80c7e
  scaffoldwatch replay nightly.bundle
  scaffoldwatch replay --output json | jq '.stages[].differences[]?'`
}

// errDiffers is returned if a replay derives something else, errNotCompared if nothing differs but some of
// it could not be compared.
var (
	errDiffers     = errors.New("the replay differs from the record")
	errNotCompared = errors.New("no differences were found, but some of it was recorded under other rules or cannot be replayed")
)

// ReplayHeap is how far the heap of a replay may grow before a collection.
const ReplayHeap = 512 << 20

// Run replays and prints the result.
func (c *Replay) Run(r *cli.Call) error {
	heap.Raise(ReplayHeap)
	if bundle.Is(c.Group) {
		return c.bundle(r)
	}
	options, err := c.options(r)
	if err != nil {
		return err
	}
	broker, _, err := c.AsAdmin().Open(r)
	if err != nil {
		return err
	}
	if c.Under != "" {
		if options.Rules, err = c.recordedRules(r, broker, options); err != nil {
			return err
		}
	}
	core, err := machines.New(options)
	if err != nil {
		return err
	}
	report := replayReport{Same: true, Build: buildinfo.Current(), Rules: core.Identity.RulesVersion, Config: core.Identity.ConfigHash}
	for _, stage := range link.Stages {
		if c.Stage != "all" && c.Stage != stage {
			continue
		}
		builds, err := otherBuilds(r, broker, stage)
		if err != nil {
			return err
		}
		result, err := c.stage(r, broker, core, stage)
		if err != nil {
			return fmt.Errorf("replay %s: %w", stage, err)
		}
		result.OtherBuilds = builds
		explain(r, broker, options, result.Other)
		report.Stages = append(report.Stages, result)
		report.Same = report.Same && len(result.Differences) == 0 && len(result.Other) == 0 && (result.NotReplayed == "" || c.Stage == "all")
	}
	if err := c.finish(r, report); err != nil || c.Group == "" || slices.ContainsFunc(report.Stages, stageReplay.found) {
		return err
	}
	if _, err := os.Stat(c.Group); err == nil {
		return fmt.Errorf("%s is not a bundle (scaffoldwatch export), and %w", c.Group, errNothing)
	}
	return fmt.Errorf("%w; scaffoldwatch sessions and scaffoldwatch runs list what is", errNothing)
}

// errNothing is returned if no stage has anything to replay for the given names.
var errNothing = errors.New("no run or session of this name is recorded")

// found reports whether the stage recorded what was asked for.
func (s stageReplay) found() bool { return s.Groups > 0 || len(s.Other) > 0 }

func (c *Replay) finish(r *cli.Call, report replayReport) error {
	if err := c.print(r, report); err != nil {
		return err
	}
	switch {
	case report.Same:
		return nil
	case slices.ContainsFunc(report.Stages, func(s stageReplay) bool { return len(s.Differences) > 0 }):
		return errDiffers
	}
	return errNotCompared
}

// options returns the options from which the services build their machines.
func (c *Replay) options(r *cli.Call) (o machines.Options, err error) {
	settings, err := c.Settings(r)
	if err != nil {
		return o, err
	}
	if c.Rules != "" {
		settings.Rules = c.Rules
	}
	o.IdleTimeout = settings.Session.IdleTimeout
	if o.Rules, err = deployment.LoadRules(settings.Rules); err != nil {
		return o, cli.Usage(err)
	}
	if o.FingerprintKey, err = deployment.LoadKey(settings.Security.FingerprintKey); err != nil {
		return o, cli.Usage(err)
	}
	return o, nil
}

func (c *Replay) stage(r *cli.Call, broker *nats.Broker, core *machines.Core, stage string) (stageReplay, error) {
	result := stageReplay{Stage: stage}
	source, err := read.LookUp(r, broker, subjects.SourceOf(stage))
	if err != nil {
		return result, err
	}
	if source.First > 1 && source.CanAge() {
		result.NotReplayed = fmt.Sprintf("%s no longer holds the messages before %d", subjects.SourceOf(stage), source.First)
		return result, nil
	}
	bar := terminal.NewProgress(r.Stderr, stage, int64(source.Messages), false)
	defer bar.Done()
	began := time.Now()
	var got engine.Rederived
	switch stage {
	case core.Ingest.Stage():
		got, err = rederive(r, c, broker, core.Ingest, core.Identity, bar)
	case core.Evaluate.Stage():
		got, err = rederive(r, c, broker, core.Evaluate, core.Identity, bar)
	default:
		got, err = rederive(r, c, broker, core.Dispatch, core.Identity, bar)
	}
	if err != nil {
		return result, err
	}
	result.fill(got, time.Since(began))
	if c.Group != "" && got.Groups == 0 {
		result.NotReplayed = fmt.Sprintf("no record of %q was found; a session of a run is part of its run", c.Group)
	}
	return result, nil
}

// counting advances the progress bar with each input.
type counting struct {
	engine.NoObserver
	mu  sync.Mutex
	bar *terminal.Progress
}

func (c *counting) Committed(s engine.CommitStats, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bar.Add(int64(s.Inputs))
}

// rederive replays one stage.
func rederive[S any](ctx context.Context, c *Replay, broker *nats.Broker, machine step.Machine[S], id step.Identity, bar *terminal.Progress) (engine.Rederived, error) {
	recording, err := natssource.Recording(ctx, broker, machine.Stage())
	if err != nil {
		return engine.Rederived{}, err
	}
	partitions := broker.Topology().Partitions
	if c.Group != "" {
		recording = engine.Only(recording, c.Group, subjects.Partition(c.Group, partitions))
	}
	// A replay must not fail because this machine is slow.
	o := engine.Options{Partitions: partitions, StepBudget: engine.NoBudget}
	got, err := engine.Rederive(ctx, machine, id, recording, &counting{bar: bar}, o)
	if err != nil {
		return got, err
	}
	again := func() (engine.Recording, error) { return natssource.Recording(ctx, broker, machine.Stage()) }
	return got, statesBefore(ctx, machine, id, again, got.First, o)
}

// maxStates limits the differences whose state is derived again: each folds its group once more.
const maxStates = 5

// statesBefore sets the digest of the state before each of the first differences.
func statesBefore[S any](ctx context.Context, machine step.Machine[S], id step.Identity, again func() (engine.Recording, error), first []engine.Departure, o engine.Options) error {
	for i := range first[:min(maxStates, len(first))] {
		recording, err := again()
		if err == nil {
			first[i].State, err = engine.StateBefore(ctx, machine, id, recording, first[i], o)
		}
		if err != nil {
			return fmt.Errorf("derive the state before the difference of %s: %w", first[i].Group, err)
		}
	}
	return nil
}
