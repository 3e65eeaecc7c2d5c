package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/source"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// advised returns settings of an advisor whose model lies, floods, fails and stays silent in turn, and is
// asked without limits, so that opinions arrive at any moment or never (AD-5, AD-7).
func advised(c config.Config) config.Config {
	a := &c.Advisor
	a.Provider, a.Model, a.Timeout = config.AdvisorMock, "chaos", 400*time.Millisecond
	a.PerSession, a.PerHour, a.PerDay, a.TokensPerDay = unbounded, unbounded, unbounded, unbounded
	a.CostPerDay, a.BreakAfter, a.BreakFor = 0, unbounded, time.Second
	return c
}

const unbounded = 1_000_000

// asRecorded returns the events of each group in the order in which INPUT has them, each once, with the
// opinions that came between them: what the model has to make of them is a fold of that.
func asRecorded(ctx context.Context, broker *nats.Broker) (map[string][]events.Event, int, error) {
	recording, err := source.Recording(ctx, broker, "ingest")
	if err != nil {
		return nil, 0, err
	}
	groups, opinions := map[string][]events.Event{}, 0
	seen := map[[3]string]bool{}
	for partition := range partitions {
		reading, err := recording.Read(ctx, partition, engine.Position{})
		if err != nil {
			return nil, 0, fmt.Errorf("read INPUT: %w", err)
		}
		for {
			record, err := reading.Next(ctx)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				reading.Close()
				return nil, 0, fmt.Errorf("read INPUT: %w", err)
			}
			e := record.Input.Event
			key := [3]string{e.Source, e.ID, string(e.Type)}
			if !record.Input.Valid || seen[key] {
				continue
			}
			seen[key] = true
			if e.Type == sessionevents.TypeOpinionRecorded {
				opinions++
			}
			groups[e.Group()] = append(groups[e.Group()], e)
		}
		reading.Close()
	}
	return groups, opinions, nil
}

// between returns a published list with the opinions that were recorded between its events, each at the
// time of the event before: the model's clock is that of the list. It fails where an event of the list was
// not recorded, or in another order.
func between(list, recorded []events.Event) ([]events.Event, error) {
	var out []events.Event
	at := 0
	for _, e := range recorded {
		switch {
		case e.Type == sessionevents.TypeOpinionRecorded:
			e.Time = list[max(at-1, 0)].Time
			out = append(out, e)
		case at < len(list) && e.ID == list[at].ID && e.Source == list[at].Source:
			out = append(out, list[at])
			at++
		}
	}
	if at < len(list) {
		return nil, fmt.Errorf("INPUT lacks event %s (%s), or has it in another place", list[at].ID, list[at].Type)
	}
	return out, nil
}

// timeless returns events without their times: an opinion has that of the advisor's clock, and what is
// derived from it has it too.
func timeless(list []events.Event) []events.Event {
	out := slices.Clone(list)
	for i := range out {
		out[i].Time = time.Time{}
	}
	return out
}

// opined returns how many opinions were decided.
func opined(ctx context.Context, broker *nats.Broker) (int, error) {
	found, _, err := read.About(ctx, broker, "dispatcher", []string{"decisions." + sessionevents.TypeOpinionRecorded + ".>"})
	return len(found), err
}

// awaitOpinions waits until every opinion that INPUT holds is decided, and returns INPUT.
func awaitOpinions(ctx context.Context, broker *nats.Broker, patience time.Duration) (map[string][]events.Event, error) {
	deadline := time.Now().Add(patience)
	for {
		recorded, opinions, err := asRecorded(ctx, broker)
		if err != nil {
			return nil, err
		}
		decided, err := opined(ctx, broker)
		switch {
		case err == nil && decided == opinions && opinions > 0:
			fmt.Printf("chaos: %d opinions recorded and decided\n", opinions)
			return recorded, nil
		case time.Now().After(deadline) || ctx.Err() != nil:
			return nil, fmt.Errorf("%d of %d opinions were decided: %w", decided, opinions, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}
