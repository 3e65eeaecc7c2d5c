package machines

import (
	"errors"
	"io"

	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Joint joins the evaluator's events of one partition with the turns it read, as [Joined]
// requires. Both are in the same order, so that few turns are held.
type Joint struct {
	// Turns returns the next event that ingest wrote in the partition; its error is io.EOF at the end.
	Turns   func() (events.Event, error)
	signals map[string][]sessionevents.Signal // by the turn.segmented that caused them
	closed  string                            // the turn closed last
	held    map[string]events.Event           // turns read before they were needed
	ended   bool
}

// mostHeld bounds the held turns: the search for a turn that is no longer stored stops
// there.
const mostHeld = 1024

// Take returns an event of the evaluator in the form in which it is fed, and false for
// one that is not.
func (j *Joint) Take(e events.Event) (events.Event, bool, error) {
	if e.Source != step.Source(evaluate.StageName) {
		return e, true, nil
	}
	switch data := e.Data.(type) {
	case *sessionevents.Signal:
		if j.closed == e.CausationID || data.ByModel() || data.Confirms != "" {
			return e, true, nil // an event of the run, which is watched after the turn is closed, or a second opinion
		}
		if j.signals == nil {
			j.signals = map[string][]sessionevents.Signal{}
		}
		j.signals[e.CausationID] = append(j.signals[e.CausationID], *data)
		return e, false, nil
	case *sessionevents.TurnEvaluated:
		j.closed = e.CausationID
		recorded := &evaluate.Recorded{Signals: j.signals[e.CausationID], Closed: e}
		delete(j.signals, e.CausationID)
		var found bool
		var err error
		recorded.Turn, found, err = j.turn(e.CausationID)
		e.Data, e.Raw = recorded, nil
		return e, found, err
	}
	return e, true, nil
}

// turn returns the turn with an id, and false if ingest's events are no longer stored.
func (j *Joint) turn(id string) (events.Event, bool, error) {
	if e, found := j.held[id]; found {
		delete(j.held, id)
		return e, true, nil
	}
	for !j.ended && len(j.held) < mostHeld {
		e, err := j.Turns()
		if errors.Is(err, io.EOF) {
			j.ended = true
			break
		}
		if err != nil {
			return e, false, err
		}
		if e.ID == id {
			return e, true, nil
		}
		if e.Type == sessionevents.TypeTurnSegmented {
			if j.held == nil {
				j.held = map[string]events.Event{}
			}
			j.held[e.ID] = e
		}
	}
	return events.Event{}, false, nil
}
