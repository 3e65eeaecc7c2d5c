package erase

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Unfinished returns what is left of an interrupted purge: those of the messages found that
// proven tombstones of the group name. It returns nil if the group has events that no tombstone
// names, as these need a tombstone of their own (AU-40).
func Unfinished(ctx context.Context, b *natsengine.Broker, group string, found []Belongings) ([]Belongings, error) {
	named, err := tombstones(ctx, b, group)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	var left []Belongings
	for _, of := range found {
		is := func(sequence uint64) bool {
			return slices.ContainsFunc(named[of.Stream], func(r [2]uint64) bool { return r[0] <= sequence && sequence <= r[1] })
		}
		if slices.ContainsFunc(of.events, func(sequence uint64) bool { return !is(sequence) }) {
			return nil, nil
		}
		of.sequences = slices.DeleteFunc(slices.Clone(of.sequences), func(sequence uint64) bool { return !is(sequence) })
		of.Messages, of.Sequences = len(of.sequences), runevents.Sequences(of.sequences)
		if of.Messages > 0 {
			left = append(left, of)
		}
	}
	return left, nil
}

// tombstones returns the sequences, by stream, that the tombstones of a group name. As in a
// verification, only tombstones in valid batches of SEGMENTS count.
func tombstones(ctx context.Context, b *natsengine.Broker, group string) (map[string][][2]uint64, error) {
	store, err := b.Store(ctx, events.StreamSegments)
	if err != nil {
		return nil, err
	}
	partition := subjects.Partition(group, b.Topology().Partitions)
	covers := proof.NewCovers(store, b.Verifier(subjects.StageOf(events.StreamSegments)), partition)
	known, err := store.Subjects(ctx, []string{"*.*.*." + strconv.Itoa(partition) + "." + group + ".*"})
	if err != nil {
		return nil, err
	}
	named := map[string][][2]uint64{}
	for _, subject := range known {
		m, err := store.Next(ctx, subject, 1)
		for ; m != nil && err == nil; m, err = store.Next(ctx, subject, m.Sequence+1) {
			if m.Header.Get("ce-type") != string(runevents.TypeContentPurged) {
				break // a subject has one type
			}
			if err := name(ctx, covers, m, named); err != nil {
				return nil, err
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return named, nil
}

// name adds the sequences that an accepted tombstone names.
func name(ctx context.Context, covers *proof.Covers, m *proof.Message, named map[string][][2]uint64) error {
	accepted, err := covers.Accepts(ctx, m)
	if err != nil || !accepted {
		return err
	}
	var of runevents.ContentPurged
	if err := json.Unmarshal(m.Data, &of); err != nil {
		return fmt.Errorf("read the tombstone at %d: %w", m.Sequence, err)
	}
	for _, e := range of.Erased {
		ranges, err := e.Ranges()
		if err != nil {
			return fmt.Errorf("read the tombstone at %d: %w", m.Sequence, err)
		}
		named[e.Stream] = append(named[e.Stream], ranges...)
	}
	return nil
}
