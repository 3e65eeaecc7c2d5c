// Package decisions reads DECISIONS for people: lists, reports and what waits for
// an answer, folded from the stream or asked of the read model.
package decisions

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// SessionSummary is one line of the list of sessions.
type SessionSummary = readmodel.Session

// SessionFilters select everything DECISIONS holds of one session.
func SessionFilters(session string) []string {
	var filters []string
	for _, class := range subjects.Classes(events.StreamDecisions) {
		filters = append(filters, class+".*.*."+session)
	}
	return append(filters, "decisions.*.*.*.*."+session)
}

// ReadReport folds the report of one session from DECISIONS (DP-32). A reading may
// be left out for that of the embedded rule data.
func ReadReport(ctx context.Context, broker *nats.Broker, session string, by ...*Reading) (sessionreport.Model, error) {
	if !events.ValidID(session) {
		return sessionreport.Model{}, fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", session)
	}
	reading, err := chosenReading(by)
	if err != nil {
		return sessionreport.Model{}, err
	}
	set := sessionreport.NewSet(reading.session)
	err = broker.ReadAll(ctx, nats.ReaderOptions{
		Stage: "dispatcher", Partition: nats.AllPartitions, Filters: SessionFilters(session),
	}, func(a nats.Accepted) error {
		reading.saw(a.Input.Event)
		set.Apply(a.Input.Event)
		return nil
	})
	if err != nil {
		return sessionreport.Model{}, fmt.Errorf("read the decisions about %s: %w", session, err)
	}
	m, ok := set.Result(session)
	if !ok {
		return m, fmt.Errorf("%w %s; `scaffoldwatch sessions` lists them", ErrNoSession, session)
	}
	return m, nil
}

// ErrNoSession says that DECISIONS holds nothing of a session.
var ErrNoSession = fmt.Errorf("nothing is known of session")
