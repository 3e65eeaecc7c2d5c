package service

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	natsprogress "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/progress"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

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
