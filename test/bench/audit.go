package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	auditrecord "github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	auditreplay "github.com/scaffoldwatch/scaffoldwatch/internal/audit/replay"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/heap"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// audits records a workload with signed checkpoints, then verifies, exports and replays it. The baseline
// reads the same streams without checking anything (AU-1, AU-10).
func audits(ctx context.Context, s scale) error {
	p, trusted, err := signedPipeline(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	mix := workload.Mix(6, 64, s.of(150))
	mix.MedianBytes, mix.P90Bytes = 1500, 6000
	sessions, turns, err := messages(workload.Make(mix))
	if err != nil {
		return err
	}
	if err := record(ctx, p, sessions); err != nil {
		return err
	}
	if err := verified(ctx, p, trusted, turns); err != nil {
		return err
	}
	if err := exported(ctx, p); err != nil {
		return err
	}
	core, err := machines.New(machines.Options{Rules: rules.Default(), IdleTimeout: config.Default().Session.IdleTimeout})
	if err != nil {
		return err
	}
	heap.Raise(auditreplay.Heap)
	defer heap.Usual()
	if err := replayed(ctx, p, core, core.Ingest); err != nil {
		return err
	}
	if err := replayed(ctx, p, core, core.Evaluate); err != nil {
		return err
	}
	if err := boundOfReplay(ctx, p, core); err != nil {
		return err
	}
	return replayed(ctx, p, core, core.Dispatch)
}

// auditRounds is the number of alternating measurements of reading and verifying; the best of each counts,
// so that other load on the machine matters less.
const auditRounds = 5

func verified(ctx context.Context, p *pipeline, trusted map[string][]string, turns int) error {
	var bare, checked time.Duration
	var report *chain.Report
	read := 0
	for range auditRounds {
		read = 0
		var took time.Duration
		for _, stream := range chain.Streams {
			n, t, err := bareRead(ctx, p.js, string(stream))
			if err != nil {
				return err
			}
			read, took = read+n, took+t
		}
		bare = best(bare, took)
		began := time.Now()
		var err error
		report, err = chain.Verify(ctx, auditrecord.Running(p.broker), chain.Options{Partitions: subjects.DefaultPartitions, Keys: chain.Keys{Trusted: trusted}})
		if err != nil {
			return err
		}
		checked = best(checked, time.Since(began))
		if !report.Verified {
			return fmt.Errorf("not verified: %s", report.Findings[0])
		}
	}
	fmt.Printf("  baseline, ordered read of SEGMENTS, SIGNALS and DECISIONS that looks at nothing: %.0f messages/s (%d turns, %d messages)\n",
		float64(read)/bare.Seconds(), turns, read)
	fmt.Printf("  verify, signatures and all digests: %.0f messages/s, %d batches, %.2f of the baseline\n",
		float64(read)/checked.Seconds(), report.Batches, bare.Seconds()/checked.Seconds())
	return nil
}

func best(before, now time.Duration) time.Duration {
	if before == 0 {
		return now
	}
	return min(before, now)
}

// replayed derives one stage again, like the command replay.
func replayed[S any](ctx context.Context, p *pipeline, core *machines.Core, machine step.Machine[S]) error {
	stage := machine.Stage()
	source := string(subjects.SourceOf(stage))
	n, took, err := bareRead(ctx, p.js, source)
	if err != nil {
		return err
	}
	base := float64(n) / took.Seconds()
	got, speed, err := rederived(ctx, p, core, machine, "replay")
	if err != nil {
		return err
	}
	if len(got.First) > 0 {
		return fmt.Errorf("the %s differs: %w", stage, &got.First[0].Difference)
	}
	fmt.Printf("  replay of the %s, byte for byte: %s, %d events the same, %.2f of reading %s alone\n",
		stage, speed, got.Same, speed.rate()/base, source)
	return nil
}

// boundOfReplay derives the evaluator again without any detector: the rate that detectors without cost
// would reach. The events differ, so most are not compared.
func boundOfReplay(ctx context.Context, p *pipeline, core *machines.Core) error {
	without, err := evaluate.New(evaluate.Options{Rules: rules.Default(), Identity: core.Identity})
	if err != nil {
		return err
	}
	_, speed, err := rederived(ctx, p, core, without, "no detectors")
	if err != nil {
		return err
	}
	fmt.Printf("    if detectors cost nothing (none runs): %s\n", speed)
	return nil
}

// speed is the rate at which inputs were derived again.
type speed struct {
	inputs    float64
	took, cpu time.Duration
}

func (s speed) rate() float64 { return s.inputs / s.took.Seconds() }

// String returns the rate, and the one that idle cores would reach.
func (s speed) String() string {
	each := s.cpu.Seconds() / s.inputs
	return fmt.Sprintf("%.0f inputs/s, %.0f µs of CPU each (%.0f/s on %d idle cores), %.0f inputs",
		s.rate(), each*1e6, float64(runtime.NumCPU())/each, runtime.NumCPU(), s.inputs)
}

// rederived folds what a stage has read again. A CPU profile has what names it as the label replay.
func rederived[S any](ctx context.Context, p *pipeline, core *machines.Core, machine step.Machine[S], what string) (got engine.Rederived, s speed, err error) {
	stage := machine.Stage()
	recording, err := natssource.Recording(ctx, p.broker, stage)
	if err != nil {
		return got, s, err
	}
	inputs := &foldedInputs{}
	runtime.GC()
	began, before := time.Now(), processTime()
	pprof.Do(ctx, pprof.Labels("replay", stage, "of", what), func(ctx context.Context) {
		got, err = engine.Rederive(ctx, machine, core.Identity, recording, inputs, engine.Options{StepBudget: engine.NoBudget})
	})
	if err != nil {
		return got, s, fmt.Errorf("replay the %s: %w", stage, err)
	}
	return got, speed{float64(inputs.count.Load()), time.Since(began), processTime() - before}, nil
}

// signedPipeline starts a system that signs its checkpoints.
func signedPipeline(ctx context.Context) (*pipeline, map[string][]string, error) {
	folder, err := os.MkdirTemp("", "scaffoldwatch-bench-key-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(folder)
	key, err := nkeys.CreateAccount()
	if err != nil {
		return nil, nil, fmt.Errorf("create a key: %w", err)
	}
	seed, err := key.Seed()
	if err != nil {
		return nil, nil, fmt.Errorf("read the seed: %w", err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, nil, fmt.Errorf("read the public key: %w", err)
	}
	file := filepath.Join(folder, "seed")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		return nil, nil, fmt.Errorf("write the seed: %w", err)
	}
	p, err := startPipeline(ctx, func(c *config.Config) { c.Security.SigningSeed, c.Security.TrustedKeys = file, []string{public} })
	trusted := map[string][]string{}
	for _, name := range chain.Streams {
		trusted[subjects.StageOf(name)] = []string{public}
	}
	return p, trusted, err
}
