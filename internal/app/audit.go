package app

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/core/audit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/natsio"
)

// AuditDecisions reads all of DECISIONS and sums what became of every signal
// (DP-18). It holds an entry for each signal of the stream.
func AuditDecisions(ctx context.Context, broker *natsio.Broker) (audit.Account, error) {
	signals := audit.NewDispositions()
	err := broker.ReadAll(ctx, natsio.ReaderOptions{Stage: dispatch.StageName, Partition: natsio.AllPartitions}, func(a natsio.Accepted) error {
		signals.Apply(a.Input.Event)
		return nil
	})
	if err != nil {
		return audit.Account{}, fmt.Errorf("read the decisions: %w", err)
	}
	return signals.Result(), nil
}
