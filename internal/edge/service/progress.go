package service

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
)

const (
	// lookEvery is how often a stage looks up what waits for it.
	lookEvery = 10 * time.Second
	// stalledAfter is how long input may wait in a partition without a commit.
	stalledAfter = 30 * time.Second
)

// watchProgress measures until ctx ends what waits for the stage in every
// partition, whoever owns it, and reports a stage that does not get on: a partition
// that nobody owns, an owner that is gone but for its heartbeat, checkpoints that
// are not accepted.
func watchProgress(ctx context.Context, p *Process, broker *nats.Broker, stage string, metrics *obs.StageMetrics) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		look, cancel := context.WithTimeout(ctx, lookEvery)
		progress, err := broker.Progress(look, stage)
		cancel()
		if err != nil {
			continue // what is wrong with the connection is reported by those who use it
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
		p.Report(stage+" progress", nats.Stalled(stage, progress, stalledAfter))
	}
}
