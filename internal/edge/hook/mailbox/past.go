package mailbox

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/semaphore"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const deciding = "dispatcher"

// past reads DECISIONS by session. It is bounded by the interrupts of that session: of its turns only the
// last is read before a hook is answered.
type past struct {
	broker *nats.Broker
	slots  *semaphore.Weighted // so that many sessions at once leave the broker to those who wait for it
	turns  *semaphore.Weighted
}

func newPast(broker *nats.Broker) *past {
	return &past{broker: broker, slots: semaphore.NewWeighted(4), turns: semaphore.NewWeighted(1)}
}

// turnsOf is the filter of a session's turns.
func turnsOf(id string) []string {
	return filters([]events.Type{sessionevents.TypeTurnEvaluated}, func(t events.Type) string {
		return subjects.SessionFilter(t, id)
	})
}

// filtersOf returns the filters of what is to be folded about a session or run, except turns.
func filtersOf(id string) []string {
	all := filters(types, func(t events.Type) string { return subjects.SessionFilter(t, id) })
	return slices.DeleteFunc(all, func(f string) bool { return slices.Contains(turnsOf(id), f) })
}

// filtersOfGroup returns the filters of what concerns all sessions of a group.
func filtersOfGroup(group string) []string {
	return filters([]events.Type{runevents.TypeOperatorAct, runevents.TypeCorrectionIssued}, func(t events.Type) string {
		return subjects.RunSubjectFilter(t, group)
	})
}

// About implements [record].
func (p *past) About(ctx context.Context, id string) (list []entry, through uint64, err error) {
	if err := p.slots.Acquire(ctx, 1); err != nil {
		return nil, 0, err
	}
	defer p.slots.Release(1)
	about, through, err := read.About(ctx, p.broker, deciding, filtersOf(id))
	if err != nil {
		return nil, 0, fmt.Errorf("read what is decided about %s: %w", id, err)
	}
	last, err := read.Latest(ctx, p.broker, deciding, turnsOf(id)[0], through)
	if err != nil {
		return nil, 0, fmt.Errorf("read the last turn of %s: %w", id, err)
	}
	if last != nil {
		about = append(about, *last)
	}
	group := ""
	for _, a := range about {
		group = cmp.Or(a.Group, group)
	}
	if group != "" && group != id {
		acts, _, err := read.About(ctx, p.broker, deciding, filtersOfGroup(group))
		if err != nil {
			return nil, 0, fmt.Errorf("read what is decided about %s: %w", group, err)
		}
		about = append(about, acts...)
	}
	if last != nil && slices.ContainsFunc(about, mutes) { // a mute counts turns
		turns, _, err := read.About(ctx, p.broker, deciding, turnsOf(id))
		if err != nil {
			return nil, 0, fmt.Errorf("read the turns of %s: %w", id, err)
		}
		about = append(about, turns...)
	}
	for _, a := range about {
		if at := a.Position.Sequence; a.Fault == "" && at <= through {
			list = append(list, entry{a.Input.Event, at})
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	return slices.CompactFunc(list, func(a, b entry) bool { return a.at == b.at }), through, nil
}

func mutes(a read.Accepted) bool {
	act, is := a.Input.Event.Data.(*runevents.OperatorAct)
	return is && (act.Act == runevents.ActMute || act.Act == runevents.ActUnmute)
}

// Turns implements [record].
func (p *past) Turns(ctx context.Context, id string, through uint64,
	evaluated func(*sessionevents.TurnEvaluated),
) error {
	if err := p.turns.Acquire(ctx, 1); err != nil {
		return err
	}
	defer p.turns.Release(1)
	about, _, err := read.About(ctx, p.broker, deciding, turnsOf(id))
	if err != nil {
		return fmt.Errorf("read the turns of %s: %w", id, err)
	}
	for _, a := range about {
		if d, is := a.Input.Event.Data.(*sessionevents.TurnEvaluated); is && a.Fault == "" &&
			a.Position.Sequence <= through {
			evaluated(d)
		}
	}
	return nil
}
