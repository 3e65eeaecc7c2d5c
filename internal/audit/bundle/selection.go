package bundle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Selection selects the groups of a bundle: that of a session, that of a run, or those with a decision in a
// period.
type Selection struct {
	Session, Run string
	Since, Until time.Time // Until is exclusive; zero means no limit
}

// String returns the selection in the syntax of the command.
func (s Selection) String() string {
	switch {
	case s.Session != "":
		return "--session " + s.Session
	case s.Run != "":
		return "--run " + s.Run
	}
	text := "--since " + s.Since.UTC().Format(time.RFC3339)
	if !s.Until.IsZero() {
		text += " --until " + s.Until.UTC().Format(time.RFC3339)
	}
	return text
}

// NothingError is returned if a selection matches nothing in the record.
type NothingError struct{ Selection string }

// Error names the selection.
func (e *NothingError) Error() string { return "nothing is recorded for " + e.Selection }

// groups returns the selected groups, sorted, and the last sequence of DECISIONS that was searched.
func (s Selection) groups(ctx context.Context, from chain.Source) ([]string, uint64, error) {
	facts, err := from.Stream(ctx, events.StreamDecisions)
	if err != nil {
		return nil, 0, fmt.Errorf("look up %s: %w", events.StreamDecisions, err)
	}
	found := map[string]bool{}
	if !facts.Missing {
		err = from.Each(ctx, events.StreamDecisions, facts.Last, func(m proof.Message) error {
			if at, ok := placeOf(m.Subject); ok && at.Group != "" && at.Kind != subjects.KindSnapshot && s.has(at, m.Time) {
				found[at.Group] = true
			}
			return nil
		})
	}
	if err != nil {
		return nil, 0, fmt.Errorf("look for %s: %w", s, err)
	}
	if len(found) == 0 {
		return nil, 0, &NothingError{s.String()}
	}
	return slices.Sorted(maps.Keys(found)), facts.Last, nil
}

func (s Selection) has(at subjects.Subject, when time.Time) bool {
	switch {
	case s.Session != "":
		return at.ID == s.Session
	case s.Run != "":
		return at.Group == s.Run
	}
	return !when.Before(s.Since) && (s.Until.IsZero() || when.Before(s.Until))
}
