package nats

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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
	err = l.broker.scanSubjects(ctx, l.stream, outputFilters(l.stream, l.partition), marked.Sequence+1, func(subject string, sequence uint64) bool {
		last[groupToken(subject)] = sequence
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

// outputFilters returns the filters of the events that a stage writes in a
// partition of a stream.
func outputFilters(stream events.Stream, partition int) (filters []string) {
	p := strconv.Itoa(partition)
	for _, class := range subjects.Classes(stream) {
		filters = append(filters, class+"."+p+".*.*")
	}
	return append(filters, forwarded(stream)+".*.*."+p+".*.*")
}
