package client

import (
	"context"
	"fmt"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// recall finds the verdict about an event that may have been published before: it reads
// the run's verdicts from the beginning and continues until ctx ends.
func (d *desk) recall(ctx context.Context, run string, e events.Event) (Verdict, error) {
	about := Filter{Run: run}
	closings := []string{subjects.RunFilter(runevents.TypeRunEvaluated, run)}
	for m, err := range d.subscriber.follow(ctx, about, closings, Start{All: true}) {
		if err != nil {
			return Verdict{}, err
		}
		closed, ok := m.event.Data.(*runevents.RunEvaluated)
		if !ok || closed.Event != e.ID {
			continue
		}
		heard, err := d.decided(ctx, about, closed, m.sequence)
		if err != nil {
			return Verdict{}, err
		}
		v := newVerdict(closed, heard)
		return v, v.failure()
	}
	return Verdict{}, fmt.Errorf("%w about %s %s, which was published: %w", ErrNoVerdict, e.Type, e.ID, context.Cause(ctx))
}

// decided reads the decisions that a closing event lists; all of them precede it.
func (d *desk) decided(ctx context.Context, about Filter, closed *runevents.RunEvaluated, before uint64) ([]events.Event, error) {
	if len(closed.Decisions) == 0 {
		return nil, nil
	}
	var subjects []string
	for _, t := range verdictTypes {
		subjects = append(subjects, about.subjects(t)...)
	}
	var found []events.Event
	for m, err := range d.subscriber.follow(ctx, about, subjects, Start{All: true}) {
		if err != nil {
			return nil, err
		}
		if slices.Contains(closed.Decisions, m.event.ID) {
			found = append(found, m.event)
		}
		if m.sequence >= before {
			return found, nil
		}
	}
	return nil, fmt.Errorf("%w: %w", ErrNoVerdict, context.Cause(ctx))
}
