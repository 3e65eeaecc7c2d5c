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

// Selection says which groups go into a bundle: that of a session, that of a run, or those
// with a decision in a span of time.
type Selection struct {
	Session, Run string
	Since, Until time.Time // Until is exclusive; zero: no limit
}

// String is the selection as the command has it.
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

// NothingError is returned where nothing of a selection is recorded.
type NothingError struct{ Selection string }

// Error says what was looked for.
func (e *NothingError) Error() string { return "nothing is recorded for " + e.Selection }

// groups returns the groups, sorted, and the sequence of DECISIONS through which they were
// looked for.
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
