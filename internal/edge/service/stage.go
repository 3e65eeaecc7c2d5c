package service

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
)

// StageOptions hold what differs from stage to stage.
type StageOptions struct {
	// SnapshotEvery limits the inputs between snapshots; 0 leaves it to the engine.
	SnapshotEvery int
	// Before runs concurrently with the stage until ctx ends. The stage reads no input before it calls
	// begin.
	Before func(ctx context.Context, broker *nats.Broker, log *slog.Logger, begin func())
}

// Stage returns the part that runs a machine as one of its stage's instances.
func Stage[S any](p *Process, machine step.Machine[S], o StageOptions) Part {
	name := machine.Stage()
	log := p.named(name)
	return Part{Run: func(ctx context.Context, broker *nats.Broker) error {
		source, err := natssource.Of(broker, name)
		if err != nil {
			return err
		}
		sink, err := commit.Sink(broker, name)
		if err != nil {
			return err
		}
		observer, metrics := obs.StageObserver(p.Metrics, name, obs.Detectors(p.Rules), log, func(err error) { p.Report(name, vitals.Explained(err)) })
		p.vitals.Stage(metrics)
		runner := &engine.Runner[S]{
			Machine: machine, Identity: p.Deployment().Identity(), Source: source, Sink: sink,
			Observer: observer,
			Options: engine.Options{
				Partitions: broker.Topology().Partitions, MaxInputs: p.Config.Stage.MaxBatch,
				StateBytes: stateBytes(p.Config.Stage.StateBytes), StepBudget: p.Config.Stage.StepTimeout, SnapshotEvery: o.SnapshotEvery,
			},
		}
		group, ctx := errgroup.WithContext(ctx)
		begin := make(chan struct{})
		if o.Before == nil {
			close(begin)
		} else {
			group.Go(func() error {
				o.Before(ctx, broker, log, func() { close(begin) })
				return nil
			})
		}
		group.Go(func() error {
			if p.Alone { // no other instance could take over the partitions meanwhile
				runner.Begin = begin
				return runner.Run(ctx)
			}
			select {
			case <-begin:
				return sharePartitions(ctx, p, broker, runner)
			case <-ctx.Done():
				return nil
			}
		})
		group.Go(func() error {
			watchProgress(ctx, p, broker, name, metrics)
			return nil
		})
		group.Go(func() error {
			keepRules(ctx, p, broker, log)
			return nil
		})
		group.Go(func() error {
			keep.Timers(ctx, broker, name, func(err error) { log.Warn("timers are not maintained, retrying", "error", err) })
			return nil
		})
		return group.Wait()
	}}
}

// sharePartitions runs this instance's share of a stage's partitions.
func sharePartitions[S any](ctx context.Context, p *Process, broker *nats.Broker, runner *engine.Runner[S]) error {
	owned, err := keep.Members(ctx, broker, runner.Machine.Stage(), p.instance())
	if err != nil {
		return err
	}
	return runner.Share(ctx, owned)
}

// instance returns the name of this process among those of its service.
func (p *Process) instance() string {
	if name := p.Config.Stage.Instance; name != "" {
		return name
	}
	return fmt.Sprintf("%s-%d-%d", hostName(), os.Getpid(), time.Now().UnixNano()%1e6)
}

// Beat sends heartbeats for a service without partitions until ctx ends, so that `doctor` sees whether it runs. A
// process that runs alone sends none: its broker answers for it.
func (p *Process) Beat(ctx context.Context, broker *nats.Broker, name string) {
	if p.Alone {
		return
	}
	keep.Beat(ctx, broker, name, p.instance(), func(err error) {
		err = p.denied.explain(err, name, p.Config.NATS.User)
		p.named(name).Warn("no heartbeat can be sent, retrying; doctor reports that this service does not run", "error", err)
	})
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "host"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, name)
}
