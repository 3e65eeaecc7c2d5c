package attest

import (
	"context"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Recorded is a source that holds the record in memory, as for a bundle. The caller must have verified all
// of it.
type Recorded struct {
	Count     int // of partitions
	Segmented []Segmented
	Decided   []events.Event // of DECISIONS, in order
	Last      []chain.Head
}

// Segmented is the data of a turn.segmented event as it is stored.
type Segmented struct {
	Session string
	Data    []byte
}

// Partitions implements [Source].
func (r Recorded) Partitions() int { return r.Count }

// Facts implements [Source].
func (r Recorded) Facts(_ context.Context, take func(events.Event)) error {
	for _, e := range r.Decided {
		if e.Type != sessionevents.TypeTurnEvaluated {
			take(e)
		}
	}
	return nil
}

// Turns implements [Source].
func (r Recorded) Turns(_ context.Context, take func(events.Event)) error {
	for _, e := range r.Decided {
		if e.Type == sessionevents.TypeTurnEvaluated {
			take(e)
		}
	}
	return nil
}

// Session implements [Source].
func (r Recorded) Session(_ context.Context, id string) (all []events.Event, _ error) {
	for _, e := range r.Decided {
		if e.Subject == id {
			all = append(all, e)
		}
	}
	return all, nil
}

// Run implements [Source].
func (r Recorded) Run(_ context.Context, id string) (all []events.Event, _ error) {
	for _, e := range r.Decided {
		if e.Group() == id {
			all = append(all, e)
		}
	}
	return all, nil
}

// Segments implements [Source].
func (r Recorded) Segments(_ context.Context, session string, take func([]byte)) error {
	for _, s := range r.Segmented {
		if s.Session == session {
			take(s.Data)
		}
	}
	return nil
}

// Heads implements [Source].
func (r Recorded) Heads(context.Context) ([]chain.Head, error) { return r.Last, nil }
