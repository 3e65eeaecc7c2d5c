package service

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/deployment"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/keep"
	natsprogress "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/progress"
	natssource "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
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

// keepRules stores the configuration of the process's configuration hash, so that its decisions can be
// derived again when other rules apply (AU-12). The stage does not wait for it, as it decides the same
// without the record. One stage of a process does it for all, since they have the same configuration.
func keepRules(ctx context.Context, p *Process, broker *nats.Broker, log *slog.Logger) {
	if !p.keepsRules.CompareAndSwap(false, true) {
		return
	}
	applied := p.Deployment().Applied()
	fits := func(data []byte) error {
		_, err := deployment.DecodeApplied(applied.ConfigHash, data)
		return err
	}
	keep.Rules(ctx, broker, applied.ConfigHash, applied.Encode, fits, func(err error) {
		if err != nil {
			log.Warn("the rules could not be stored in the bucket RULES, retrying", "error", err)
		}
	})
}

// leastStateBytes is the memory for states if the machine has little memory, or does not report how much.
const leastStateBytes = 256 << 20

// stateBytes returns the memory for states: the configured amount, or an eighth of what the process may
// use. The garbage collector needs as much again, and the broker of `up` also caches streams.
func stateBytes(configured int64) int {
	if configured > 0 {
		return int(configured)
	}
	return max(leastStateBytes, int(available()/8))
}

// available returns the memory of the machine or of the container, 0 if unknown.
func available() uint64 {
	least := physical()
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64); err == nil && (least == 0 || n < least) {
			least = n
		}
	}
	return least
}

// physical returns the machine's memory according to /proc, 0 if it is not there.
func physical() uint64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), "MemTotal:"); found {
			kib, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

const (
	// lookEvery is how often a stage looks up its pending input.
	lookEvery = 10 * time.Second
	// stalledAfter is how long input may wait in a partition without a commit.
	stalledAfter = 30 * time.Second
)

// watchProgress measures, until ctx ends, the stage's pending input in every partition, whoever owns it,
// and reports a stage that makes no progress: a partition without an owner, an owner of which only the
// heartbeat is left, checkpoints that are rejected.
func watchProgress(ctx context.Context, p *Process, broker *nats.Broker, stage string, metrics *obs.StageMetrics) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	full := map[string]bool{}
	watch := natsprogress.NewWatch(broker, stage)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if stage == subjects.StageOf(events.StreamSegments) {
			warnOfFullIntakes(ctx, p, broker, full)
		}
		look, cancel := context.WithTimeout(ctx, lookEvery)
		progress, err := watch.Look(look)
		cancel()
		if err != nil {
			continue // users of the connection report what is wrong with it
		}
		var waiting uint64
		var oldest time.Duration
		for _, partition := range progress {
			waiting += partition.Waiting
			oldest = max(oldest, partition.Age())
			if partition.Waiting == 0 {
				metrics.UpToDate(partition.Partition)
			}
		}
		metrics.Backlog(waiting, oldest)
		p.Report(stage+" progress", natsprogress.Stalled(stage, progress, stalledAfter))
	}
}

// warnOfFullIntakes logs which accounts are now rejected because they exceed their limits. The service
// itself is healthy, so it stays ready.
func warnOfFullIntakes(ctx context.Context, p *Process, broker *nats.Broker, full map[string]bool) {
	look, cancel := context.WithTimeout(ctx, lookEvery)
	defer cancel()
	intakes, err := broker.Intakes(look)
	if err != nil {
		return // as above
	}
	for _, i := range intakes {
		if i.Full() && !full[i.Account] {
			p.Log.Warn("an account exceeds its limit; its publishers are rejected", "account", i.Account, "messages", i.Intake.Messages, "window", i.Window)
		}
		full[i.Account] = i.Full()
	}
}
