package decisions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/once"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ErrNotDenied is returned if no denial waits for a word.
var ErrNotDenied = errors.New("nothing was denied with this word in the last ten minutes")

// Denied returns the latest denial that a word lifts (GD-11), in one session, or in any if session is "".
func Denied(ctx context.Context, broker *nats.Broker, word, session string) (denied events.Event, err error) {
	o := read.Options{
		Stage:     "dispatcher",
		Partition: nats.AllPartitions,
		Filters:   []string{"decisions." + sessionevents.TypeGuardDecided + ".>"},
	}
	err = read.All(ctx, broker, o, func(a read.Accepted) error {
		e := a.Input.Event
		d, is := e.Data.(*sessionevents.GuardDecided)
		if is && a.Fault == "" && d.Word == word && d.Verdict == sessionevents.HookDeny &&
			time.Since(e.Time) < once.Holds &&
			(session == "" || e.Subject == session) {
			denied = e
		}
		return nil
	})
	if err != nil {
		return denied, fmt.Errorf("find the denial: %w", err)
	}
	if denied.Data == nil || word == "" {
		return denied, fmt.Errorf("%q: %w", word, ErrNotDenied)
	}
	return denied, nil
}
