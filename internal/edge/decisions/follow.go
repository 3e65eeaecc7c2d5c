package decisions

import (
	"context"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

const (
	// settle is how long nothing may arrive before the report is shown: the events of one turn arrive
	// together.
	settle = 100 * time.Millisecond
	// patience is the longest that a busy session goes without an update.
	patience = time.Second
	// followMoments limits how much of the timeline a follower keeps.
	followMoments = 100_000
)

// FollowReport folds a session's decisions as they are made and passes each new state of its report to
// changed (DP-32), the first one once the existing decisions have been read. It returns nil when the
// session is closed, or the first error.
func FollowReport(ctx context.Context, broker *nats.Broker, session string, changed func(sessionreport.Model) error, by ...*Reading) error {
	if !events.ValidID(session) {
		return fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", session)
	}
	reading, err := chosenReading(by)
	if err != nil {
		return err
	}
	settings := *reading.session
	settings.Limits.Timeline = followMoments
	fold := sessionreport.New(session, &settings)
	return follow(ctx, broker, session, subjects.DecidedAboutSession(session), fold.Apply, func() (bool, error) {
		m := fold.Result()
		return m.Session.Closed, changed(m)
	})
}

// follow folds the decisions about id until ctx ends, and calls settled each time nothing has arrived for a
// while; it returns when settled reports true.
func follow(ctx context.Context, broker *nats.Broker, id string, filters []string, apply func(events.Event), settled func() (bool, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	decided, failed := decisionsOf(ctx, broker, filters)
	defer func() {
		cancel()
		<-failed //nolint:errcheck // its reader has left; what failed was told by untilSettled
	}()
	for ctx.Err() == nil {
		ok, err := untilSettled(ctx, decided, failed, apply)
		if err != nil {
			return fmt.Errorf("follow the decisions about %s: %w", id, err)
		}
		if !ok {
			break
		}
		if done, err := settled(); err != nil || done {
			return err
		}
	}
	return ctx.Err()
}

// decisionsOf reads in the background. The second channel yields the error that ended reading, once, and is
// then closed.
func decisionsOf(ctx context.Context, broker *nats.Broker, filters []string) (<-chan events.Event, <-chan error) {
	decided, failed := make(chan events.Event), make(chan error, 1)
	go func() {
		defer close(failed)
		failed <- readDecisions(ctx, broker, filters, decided)
	}()
	return decided, failed
}

func readDecisions(ctx context.Context, broker *nats.Broker, filters []string, to chan<- events.Event) error {
	about, through, err := read.About(ctx, broker, "dispatcher", filters)
	if err != nil {
		return err
	}
	for _, a := range about {
		if err := giveDecision(ctx, a, to); err != nil {
			return err
		}
	}
	reader, err := read.Open(ctx, broker, read.Options{
		Stage: "dispatcher", Partition: nats.AllPartitions, Filters: filters, After: through,
	})
	if err != nil {
		return err
	}
	defer reader.Close()
	for {
		a, err := reader.Next(ctx)
		if err != nil {
			return err
		}
		if err := giveDecision(ctx, a, to); err != nil {
			return err
		}
	}
}

func giveDecision(ctx context.Context, a read.Accepted, to chan<- events.Event) error {
	if a.Idle || a.Fault != "" {
		return nil
	}
	select {
	case to <- a.Input.Event:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// untilSettled folds events until none arrives for a while; it returns false if ctx ends first.
func untilSettled(ctx context.Context, decided <-chan events.Event, failed <-chan error, apply func(events.Event)) (bool, error) {
	var quiet, late <-chan time.Time // none before the first event
	for {
		select {
		case ev := <-decided:
			apply(ev)
			quiet = time.After(settle)
			if late == nil {
				late = time.After(patience)
			}
		case <-quiet:
			return true, nil
		case <-late:
			return true, nil
		case err := <-failed:
			if ctx.Err() != nil {
				return false, nil
			}
			return false, err
		case <-ctx.Done():
			return false, nil
		}
	}
}
