package commit

import (
	"context"
	"errors"
	"fmt"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// NameSuccessor commits a checkpoint to each partition that a stage has written, in which the
// broker's own key names the key that signs from then on (AU-3). The stage should not run
// meanwhile. It returns how many partitions name the successor now, and can be called again
// after an error.
func NameSuccessor(ctx context.Context, b *natsengine.Broker, stage, successor string) (partitions int, err error) {
	if b.Keys().Own == nil {
		return 0, errors.New("without a signing key nobody can name the next: give the configuration of the stage (--config), whose security.signing_seed is its present key")
	}
	stream, err := natsengine.StreamOf(stage)
	if err != nil {
		return 0, err
	}
	own, err := b.Keys().Own.PublicKey()
	if err != nil {
		return 0, fmt.Errorf("read the public part of the stage's key: %w", err)
	}
	s := newSink(b, stage, stream)
	for partition := range b.Topology().Partitions {
		l, last, err := s.open(ctx, partition)
		if err != nil {
			return partitions, err
		}
		switch {
		case last == nil:
			continue
		case last.Key == successor || last.Successor == successor:
		case last.Key != own:
			return partitions, fmt.Errorf("partition %d of %s is signed by %s, so only that key can name the next", partition, stream, last.Key)
		default:
			next := &proof.Checkpoint{
				Version: 1, Stage: stage, Partition: partition, Source: string(subjects.SourceOf(stage)),
				Position: l.position, Fence: l.fence, Digest: proof.Digest(nil), Previous: l.head, Successor: successor,
			}
			if err := l.commit(ctx, nil, next, 0, false); err != nil {
				return partitions, fmt.Errorf("record the successor in partition %d of %s: %w", partition, stream, err)
			}
		}
		partitions++
	}
	return partitions, nil
}

// replaced returns an error if a partition's last checkpoint names a successor that is not the
// key of this process.
func replaced(b *natsengine.Broker, last *proof.Checkpoint) error {
	if last == nil || last.Successor == "" {
		return nil
	}
	own := "none"
	if b.Keys().Own != nil {
		public, err := b.Keys().Own.PublicKey()
		if err != nil {
			return fmt.Errorf("read the public part of the stage's key: %w", err)
		}
		own = public
	}
	if own != last.Successor {
		return fmt.Errorf("the signing key of this stage was replaced by %s, but security.signing_seed is that of %s", last.Successor, own)
	}
	return nil
}
