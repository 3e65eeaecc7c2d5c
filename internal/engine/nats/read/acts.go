package read

import (
	"context"
	"fmt"
	"strconv"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Acts returns what a stage's stream holds of operators' acts about a group, about all groups for "", of those that
// are wanted, in order. As in a verification, only acts in valid batches count: a stage commits none without the
// operator's credential (EV-10).
func Acts(
	ctx context.Context, b *natsengine.Broker, stream events.Stream, group string, wanted func(*proof.Message) bool,
) ([]proof.Message, error) {
	store, err := b.Store(ctx, stream)
	if err != nil {
		return nil, err
	}
	of, p := "*", "*"
	if group != "" {
		of, p = group, strconv.Itoa(subjects.Partition(group, b.Topology().Partitions))
	}
	var found []proof.Message
	filter := topology.Forwarded(stream) + "." + events.ClassOperatorAct + "." + p + "." + of + ".*"
	if err := UpTo(ctx, b, stream, filter, func(m proof.Message) {
		if wanted(&m) {
			found = append(found, m)
		}
	}); err != nil {
		return nil, err
	}
	covers := map[int]*proof.Covers{}
	var all []proof.Message
	for _, m := range found {
		partition, _ := proof.Partition(m.Subject)
		if covers[partition] == nil {
			covers[partition] = proof.NewCovers(store, b.Verifier(subjects.StageOf(stream)), partition)
		}
		accepted, err := covers[partition].Accepts(ctx, &m)
		if err != nil {
			return nil, fmt.Errorf("check the operator's act at %d of %s: %w", m.Sequence, stream, err)
		}
		if accepted {
			all = append(all, m)
		}
	}
	return all, nil
}
