package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nkeys"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Stages are the services that run a machine, in the order of the pipeline.
var Stages = []string{"ingest", "evaluator", "dispatcher"}

// stageRun is what running one stage needs.
type stageRun struct {
	name     string
	broker   *nats.Broker
	config   config.Config
	log      *slog.Logger
	metrics  prometheus.Registerer
	identity step.Identity
	healthy  func(error)
	// alone owns every partition instead of sharing with other instances.
	alone bool
}

// runStage runs a machine until ctx ends, as one of the stage's instances.
func runStage[S any](ctx context.Context, r stageRun, machine step.Machine[S]) error {
	source, err := r.broker.Source(r.name)
	if err != nil {
		return err
	}
	sink, err := r.broker.Sink(r.name)
	if err != nil {
		return err
	}
	runner := &engine.Runner[S]{
		Machine: machine, Identity: r.identity, Source: source, Sink: sink,
		Observer: obs.StageObserver(r.metrics, r.name, r.log, r.healthy),
		Options:  r.options(),
	}
	group, ctx := errgroup.WithContext(ctx)
	begin := r.keepControl(ctx, group)
	group.Go(func() error {
		select {
		case <-begin:
		case <-ctx.Done():
			return nil
		}
		if r.alone {
			return runner.Run(ctx)
		}
		instance := r.config.Stage.Instance
		if instance == "" {
			instance = fmt.Sprintf("%s-%d-%d", hostName(), os.Getpid(), time.Now().UnixNano()%1e6)
		}
		owned, err := r.broker.Members(ctx, r.name, instance)
		if err != nil {
			return err
		}
		return runner.Share(ctx, owned)
	})
	group.Go(func() error {
		r.broker.KeepTimers(ctx, r.name, func(err error) { r.log.Warn("timers are not kept, trying again", "error", err) })
		return nil
	})
	return group.Wait()
}

// keepControl keeps the bucket CONTROL where the stage is the dispatcher; begin is
// closed when input may be read: the bucket has been rewritten then (EV-8).
func (r stageRun) keepControl(ctx context.Context, group *errgroup.Group) (begin <-chan struct{}) {
	rewritten := make(chan struct{})
	if r.name != budget.StageName {
		close(rewritten)
		return rewritten
	}
	r.healthy(errors.New("the control states are not rewritten yet"))
	group.Go(func() error {
		r.broker.KeepControl(ctx, func() { close(rewritten) }, func(err error) {
			r.log.Warn("the control states are not kept, trying again", "error", err)
		})
		return nil
	})
	return rewritten
}

func (r stageRun) options() engine.Options {
	o := engine.Options{
		Partitions: r.broker.Topology().Partitions, MaxInputs: r.config.Stage.MaxBatch,
		StateBytes: int(r.config.Stage.StateBytes), StepBudget: r.config.Stage.StepTimeout,
	}
	if r.name == "ingest" {
		// Raw input is short-lived, so its states must not lean on a long tail.
		o.SnapshotEvery = 64
	}
	return o
}

// run starts the machine of the stage.
func (r stageRun) run(ctx context.Context, core *Core) error {
	r.identity = core.Identity
	switch r.name {
	case "ingest":
		return runStage(ctx, r, core.Ingest)
	case "evaluator":
		return runStage(ctx, r, core.Evaluate)
	case "dispatcher":
		return runStage(ctx, r, core.Dispatch)
	}
	return fmt.Errorf("no stage is called %q; there are %s", r.name, strings.Join(Stages, ", "))
}

// Topology is what the configuration asks of the broker.
func Topology(c config.Config) nats.Topology {
	t := nats.Topology{Partitions: c.Streams.Partitions, Replicas: c.Streams.Replicas, InputAge: c.Streams.InputMaxAge}
	if age := c.Streams.OutputMaxAge; age > 0 {
		t.Ages = map[events.Stream]time.Duration{events.StreamSegments: age, events.StreamSignals: age, events.StreamDecisions: age}
	}
	return t
}

// Keys loads the key that signs checkpoints and the keys that are trusted (EV-7).
func Keys(c config.Security) (nats.Keys, error) {
	keys := nats.Keys{Trusted: map[string][]string{}}
	for _, entry := range c.TrustedKeys {
		name, key, of := strings.Cut(entry, "=")
		if !of {
			key = name
		}
		if !nkeys.IsValidPublicKey(key) {
			return keys, fmt.Errorf("security.trusted_keys: %q is no public nkey; write STAGE=KEY or KEY for every stage", entry)
		}
		for _, stage := range Stages {
			if !of || stage == name {
				keys.Trusted[stage] = append(keys.Trusted[stage], key)
			}
		}
	}
	if c.SigningSeed == "" {
		return keys, nil
	}
	seed, err := os.ReadFile(c.SigningSeed)
	if err != nil {
		return keys, fmt.Errorf("read security.signing_seed: %w", err)
	}
	if keys.Own, err = nkeys.ParseDecoratedNKey(seed); err != nil {
		return keys, errors.New("security.signing_seed: the file holds no nkey seed (make one with `nk -gen account`)")
	}
	return keys, nil
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
