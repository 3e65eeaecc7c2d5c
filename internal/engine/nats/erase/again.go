package erase

import (
	"context"
	"slices"
	"time"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Left returns what an interrupted purge left of a group: those of the messages found that its tombstones
// name. A stream that was made after the tombstone counts its messages from 1, so those are not meant. More
// reports whether the group has events that no tombstone names; these need a
// tombstone of their own (AU-40).
func Left(found []Belongings, tombstones []read.Tombstone) (left []Belongings, more bool, err error) {
	for _, of := range found {
		one := Belongings{Erasure: runevents.Erasure{Stream: of.Stream}, IDs: of.IDs}
		var named proof.Ranges
		for _, t := range tombstones {
			some, err := read.Named(of.Stream, t.ContentPurged)
			if err != nil {
				return nil, false, err
			}
			if of.made.Before(t.Stored.Time) {
				named = named.With(some...)
			}
		}
		for _, m := range of.held {
			if named.Has(m.sequence) {
				one.held = append(one.held, m)
			} else if m.event {
				more = true
			}
		}
		one.count()
		if one.Messages > 0 {
			left = append(left, one)
		}
	}
	return left, more, nil
}

// Rest is what interrupted purges left of a group.
type Rest struct {
	Group string
	Left  []Belongings
	last  read.Tombstone
}

// Unfinished returns what interrupted purges left, of all groups, in the order of their first tombstones.
func Unfinished(ctx context.Context, b *natsengine.Broker) (all []Rest, err error) {
	list, err := read.Tombstones(ctx, b, events.StreamSegments, "")
	if err != nil {
		return nil, err
	}
	for len(list) > 0 {
		rest := Rest{Group: list[0].Group}
		var own []read.Tombstone
		list = slices.DeleteFunc(list, func(t read.Tombstone) bool {
			if t.Group == rest.Group && len(t.Erased) > 0 {
				own, rest.last = append(own, t), t
			}
			return t.Group == rest.Group
		})
		if len(own) == 0 { // an announcement
			continue
		}
		found, err := Find(ctx, b, rest.Group, "")
		if err != nil {
			return nil, err
		}
		if rest.Left, _, err = Left(found, own); err != nil {
			return nil, err
		}
		if len(rest.Left) > 0 {
			all = append(all, rest)
		}
	}
	return all, nil
}

// Finish removes what interrupted purges left, and calls finished for each group. The tombstones are all it
// needs, so it may run at any time, again, and beside a purge. It removes nothing before the tombstone has
// passed every stage.
func Finish(ctx context.Context, b *natsengine.Broker, finished func(group string, messages int)) error {
	all, err := Unfinished(ctx, b)
	if err != nil {
		return err
	}
	for _, rest := range all {
		e := events.Event{
			Type: runevents.TypeContentPurged, ID: rest.last.Stored.Header.Get("ce-id"),
			Subject: rest.Group, PartitionKey: rest.Group,
		}
		for recorded := false; !recorded; {
			if recorded, err = read.Recorded(ctx, b, e); err != nil {
				return err
			}
			if !recorded && !pause(ctx) {
				return ctx.Err()
			}
		}
		messages := 0
		if err := Remove(ctx, b, rest.Left, func() { messages++ }); err != nil {
			return err
		}
		finished(rest.Group, messages)
	}
	return nil
}

// pause waits a moment and reports whether ctx goes on.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(200 * time.Millisecond):
		return true
	}
}

// count describes what is held.
func (b *Belongings) count() {
	sequences := make([]uint64, 0, len(b.held))
	for _, m := range b.held {
		sequences = append(sequences, m.sequence)
		if m.event {
			b.Events++
		}
	}
	slices.Sort(sequences)
	b.Messages, b.Sequences = len(sequences), runevents.Sequences(sequences)
}
