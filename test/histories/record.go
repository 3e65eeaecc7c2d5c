package histories

import (
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// written are the streams by the stage that writes them.
var written = map[string]events.Stream{
	"ingest": events.StreamSegments, "evaluator": events.StreamSignals, "dispatcher": events.StreamDecisions,
}

// Fleet returns today's sample fleet as it is published.
func Fleet() ([]events.Event, error) {
	play, err := demo.NewPlay(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	all := make([]events.Event, 0, len(play.Events))
	for _, e := range play.Events {
		prepared, err := publish.Prepare(e)
		if err != nil {
			return nil, fmt.Errorf("prepare %s: %w", e.ID, err)
		}
		all = append(all, prepared)
	}
	return all, nil
}

// Record runs the stages over published events, with the timers that expire meanwhile.
func Record(core *machines.Core, published []events.Event) (History, error) {
	h := History{Identity: core.Identity, Streams: map[events.Stream][]engine.Message{}}
	var failed error
	chain := core.Chain()
	chain.Folded = func(stage string, read events.Event, derived []events.Event, fault string) {
		if fault != "" && failed == nil {
			failed = fmt.Errorf("%s skips %s: %s", stage, read.ID, fault)
		}
		if stage == core.Ingest.Stage() {
			failed = first(failed, h.add(events.StreamInput, read, read))
		}
		for _, e := range derived {
			failed = first(failed, h.add(written[stage], read, e))
		}
	}
	for _, e := range published {
		chain.Feed(e)
	}
	return h, failed
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// add appends an event that was derived from a cause.
func (h History) add(to events.Stream, cause, e events.Event) error {
	if to == events.StreamInput {
		header, data, err := events.EncodeBinary(e)
		if err != nil {
			return fmt.Errorf("encode %s: %w", e.ID, err)
		}
		h.Streams[to] = append(h.Streams[to], engine.Message{Subject: e.Group(), Header: header, Data: data})
		return nil
	}
	m, err := engine.Encode(to, subjects.DefaultPartitions, cause.Group(), e)
	if err != nil {
		return fmt.Errorf("encode %s: %w", e.ID, err)
	}
	h.Streams[to] = append(h.Streams[to], m)
	return nil
}

// Input decodes what was published, without the timers that stages set themselves.
func (h History) Input() ([]events.Event, error) {
	var all []events.Event
	for _, m := range h.Streams[events.StreamInput] {
		e, err := events.DecodeMessage(m.Header, m.Data)
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", m.Subject, err)
		}
		if e.Type != events.TypeTimerExpired {
			all = append(all, e)
		}
	}
	return all, nil
}
