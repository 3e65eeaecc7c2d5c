package commit

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// keeps reports whether a snapshot must outlive the age of the stream. Streams of an earlier
// version cannot keep it.
func (l *log) keeps(snapshot engine.Snapshot) bool {
	return snapshot.Keep && l.store.Stream.CachedInfo().Config.AllowMsgTTL
}

// Options implements [engine.Log].
func (l *log) Options() engine.LogOptions {
	most := int(l.broker.JetStream().Conn().MaxPayload()) - roomForHeaders
	return engine.LogOptions{MaxSnapshot: most, Refresh: l.refresh, Uncovered: l.uncovered}
}

// Snapshot returns the last one that is part of a valid batch. Forged ones after
// it are skipped.
func (l *log) Snapshot(ctx context.Context, group string) (*engine.Snapshot, error) {
	subject := subjects.SnapshotSubject(l.stage, l.partition, group)
	m, err := l.store.Last(ctx, subject)
	for ; m != nil && err == nil; m, err = l.store.Before(ctx, subject, m.Sequence) {
		accepted, err := l.covers.Accepts(ctx, m)
		if err != nil {
			return nil, err
		}
		if snapshot := readSnapshot(group, m); accepted && snapshot != nil {
			return snapshot, nil
		}
		l.broker.Observer().Skipped(string(l.stream), l.partition, proof.ReasonOutside, m.Sequence)
	}
	return nil, err
}

func readSnapshot(group string, m *proof.Message) *engine.Snapshot {
	version, err1 := strconv.Atoi(m.Header.Get(headerVersion))
	sequence, err2 := strconv.ParseUint(m.Header.Get(headerSequence), 10, 64)
	folded, err3 := strconv.Atoi(m.Header.Get(headerFolded))
	if errors.Join(err1, err2, err3) != nil {
		return nil
	}
	return &engine.Snapshot{Group: group, Version: version, Sequence: sequence, Folded: folded, Data: m.Data}
}

// Skipped returns the inputs of a group that valid batches skipped.
func (l *log) Skipped(ctx context.Context, group string) (map[uint64]string, error) {
	return Skipped(ctx, l.store, l.covers, topology.SkipSubject(l.stage, l.partition, group), group)
}

// Skipped returns the inputs of a group that valid batches skipped: the reasons by sequence.
// Subject is where the stage stores them.
func Skipped(
	ctx context.Context, s *proof.Store, covers *proof.Covers, subject, group string,
) (map[uint64]string, error) {
	skips := map[uint64]string{}
	m, err := s.Next(ctx, subject, 1)
	for ; m != nil && err == nil; m, err = s.Next(ctx, subject, m.Sequence+1) {
		accepted, err := covers.Accepts(ctx, m)
		if err != nil {
			return nil, err
		}
		var skip engine.Skip
		if accepted && json.Unmarshal(m.Data, &skip) == nil && skip.Group == group {
			skips[skip.Sequence] = skip.Reason
		}
	}
	return skips, err
}

// uncovered implements [engine.LogOptions]. In a batch, snapshots come after the outputs, so a
// snapshot that is stored after an output covers its input.
func (l *log) uncovered(ctx context.Context, mark string, groups []string) ([]string, error) {
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
