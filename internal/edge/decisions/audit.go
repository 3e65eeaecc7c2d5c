package decisions

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/budget"
)

// Audit reads all of DECISIONS and counts how each signal ended (DP-18). It holds an entry for each signal
// of the stream in memory. Lost are the sequences, in order, of messages that an operator acknowledged as
// lost.
func Audit(ctx context.Context, broker *nats.Broker, lost []uint64) (audit.Account, error) {
	signals := audit.NewDispositions()
	err := read.All(ctx, broker, read.Options{Stage: budget.StageName, Partition: nats.AllPartitions}, func(a read.Accepted) error {
		for ; len(lost) > 0 && lost[0] < a.Position.Sequence; lost = lost[1:] {
			signals.Lost()
		}
		signals.Apply(a.Input.Event)
		return nil
	})
	if err != nil {
		return audit.Account{}, fmt.Errorf("read the decisions: %w", err)
	}
	if len(lost) > 0 {
		signals.Lost()
	}
	return signals.Result(), nil
}
