package read

import (
	"context"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Recorded reports whether DECISIONS holds an event with the id and type of e. If it does,
// every stage has read it.
func Recorded(ctx context.Context, b *natsengine.Broker, e events.Event) (bool, error) {
	subject, err := subjects.StoredSubject(events.StreamDecisions, e, b.Topology().Partitions)
	if err != nil {
		return false, err
	}
	store, err := b.Store(ctx, events.StreamDecisions)
	if err != nil {
		return false, err
	}
	m, err := store.Last(ctx, subject)
	for ; m != nil && err == nil; m, err = store.Before(ctx, subject, m.Sequence) {
		if m.Header.Get("ce-id") == e.ID {
			return true, nil
		}
	}
	return false, err
}

// GroupOf returns the group of a session or run, "" if no stream holds anything about it.
func GroupOf(ctx context.Context, b *natsengine.Broker, id string) (string, error) {
	for _, stream := range []events.Stream{events.StreamDecisions, events.StreamSegments, events.StreamInput} {
		store, err := b.Store(ctx, stream)
		if err != nil {
			return "", err
		}
		known, err := store.Subjects(ctx, []string{"*.*.*.*." + id, "*.*.*.*.*." + id})
		if err != nil {
			return "", err
		}
		for _, subject := range known {
			if s, err := subjects.ParseSubject(subject); err == nil && s.ID == id {
				return s.Group, nil
			}
		}
	}
	return "", nil
}
