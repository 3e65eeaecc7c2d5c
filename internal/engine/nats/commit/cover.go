package commit

import (
	"context"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Uncovered implements [engine.Covering]: in a batch, snapshots come after the
// outputs, so a snapshot that is stored after an output covers its input.
func (l *log) Uncovered(ctx context.Context, mark string, groups []string) ([]string, error) {
	marked, err := l.store.Last(ctx, subjects.SnapshotSubject(l.stage, l.partition, mark))
	if err != nil || marked == nil {
		return nil, err
	}
	last := map[string]uint64{}
	for _, group := range groups {
		last[group] = marked.Sequence
	}
	err = read.Scan(ctx, l.broker, l.stream, topology.OutputFilters(l.stream, l.partition), marked.Sequence+1, func(subject string, sequence uint64) bool {
		last[topology.GroupOf(subject)] = sequence
		return true
	})
	if err != nil {
		return nil, err
	}
	var uncovered []string
	for _, group := range slices.Sorted(maps.Keys(last)) {
		snapshot, err := l.store.Last(ctx, subjects.SnapshotSubject(l.stage, l.partition, group))
		if err != nil {
			return nil, err
		}
		if snapshot == nil || snapshot.Sequence < last[group] {
			uncovered = append(uncovered, group)
		}
	}
	return uncovered, nil
}
