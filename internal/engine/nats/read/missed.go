package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// A busy nats-server 2.15 can skip messages that were stored a moment before: a consumer
// that waited at the end of the stream gets the rest of a batch without its first event
// (TestACutHeadIsNotAgedOut shows it on one processor with other work). Checkpoints say what
// there is, so whatever is missing is asked for by its sequence before it counts as erased.

// missedCheckpoint closes the batch before this one if its checkpoint is stored but was not
// delivered.
func (r *Reader) missedCheckpoint(
	ctx context.Context, chain *chain, partition int, c *proof.Checkpoint, own proof.Message,
) error {
	if chain.any || c.Fence <= chain.fence || c.Fence >= own.Sequence {
		return nil
	}
	before, err := r.store.At(ctx, c.Fence)
	if err != nil {
		return fmt.Errorf("look for the checkpoint before %d: %w", own.Sequence, err)
	}
	if before == nil || before.Subject != own.Subject {
		return nil
	}
	open, later := parted(chain.open, func(m proof.Message) bool { return m.Sequence > c.Fence })
	internal, laterInternal := parted(chain.internal, func(at uint64) bool { return at > c.Fence })
	chain.open, chain.internal = open, internal
	if err := r.close(ctx, chain, partition, *before); err != nil {
		return err
	}
	chain.open, chain.internal = later, laterInternal
	return nil
}

// parted splits a list before its first element that is later.
func parted[T any](list []T, later func(T) bool) (before, after []T) {
	at := slices.IndexFunc(list, later)
	if at < 0 {
		return list, nil
	}
	return slices.Clip(list[:at]), list[at:]
}

// missedOutputs adds the outputs of a batch that are stored but were not delivered.
func (r *Reader) missedOutputs(ctx context.Context, chain *chain, c *proof.Checkpoint, own uint64) error {
	first := own - uint64(c.Count)
	outputs := func(at uint64) bool { return at >= first && at < first+uint64(c.Outputs) }
	have := make([]uint64, 0, c.Outputs)
	for i := range chain.open {
		if at := chain.open[i].Sequence; outputs(at) {
			have = append(have, at)
		}
	}
	for _, at := range chain.internal {
		if outputs(at) {
			have = append(have, at)
		}
	}
	if len(have) == c.Outputs {
		return nil
	}
	for at := first; outputs(at); at++ {
		if slices.Contains(have, at) {
			continue
		}
		m, err := r.store.At(ctx, at)
		if err != nil {
			return fmt.Errorf("look for message %d of a batch: %w", at, err)
		}
		switch {
		case m == nil: // erased
		case strings.HasPrefix(m.Subject, "skip."):
			chain.internal = append(chain.internal, at)
		default:
			chain.open = append(chain.open, *m)
		}
	}
	slices.SortFunc(chain.open, func(a, b proof.Message) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return nil
}
