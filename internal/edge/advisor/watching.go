package advisor

import (
	"context"
	"slices"
	"sync"
	"time"

	natsread "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// watching folds the decisions and fills the queue of questions.
type watching struct {
	*advisor
	queue *queue

	mu     sync.Mutex // the workers read due, too
	due    *opinion.Due
	groups map[string]string // group of each session that is followed
}

// follow reads until ctx ends or reading fails.
func (w *watching) follow(ctx context.Context, reader *natsread.Reader) error {
	read, failed := make(chan events.Event), make(chan error, 1)
	go func() {
		defer reader.Close()
		for {
			a, err := reader.Next(ctx)
			if err != nil {
				failed <- err
				return
			}
			if a.Idle || a.Fault != "" {
				continue
			}
			select {
			case read <- a.Input.Event:
			case <-ctx.Done():
				failed <- ctx.Err()
				return
			}
		}
	}()
	return w.fold(read, failed)
}

// fold takes decisions until reading fails. What is due in a session is asked when nothing has arrived for a
// while in that session: in a fleet something arrives all the time.
func (w *watching) fold(read <-chan events.Event, failed <-chan error) error {
	var unsettled []arrival // each session once, the longest quiet first
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	for {
		select {
		case e := <-read:
			w.take(e)
			unsettled = slices.DeleteFunc(unsettled, func(a arrival) bool { return a.session == e.Subject })
			unsettled = append(unsettled, arrival{e.Subject, time.Now()})
		case <-quiet.C:
		case err := <-failed:
			return err
		}
		for len(unsettled) > 0 && time.Since(unsettled[0].at) >= settled {
			w.settle(unsettled[0].session)
			unsettled = unsettled[1:]
		}
		if len(unsettled) > 0 {
			quiet.Reset(settled - time.Since(unsettled[0].at))
		}
	}
}

// arrival is when the last decision about a session arrived.
type arrival struct {
	session string
	at      time.Time
}

func (w *watching) take(e events.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if closed, is := e.Data.(*sessionevents.TurnEvaluated); is {
		if len(w.groups) > 2*keptSessions {
			w.groups = map[string]string{}
		}
		w.groups[closed.Session] = e.Group()
	}
	w.want(w.due.Take(e))
}

func (w *watching) settle(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.want(w.due.SettledIn(session))
}

func (w *watching) want(list []opinion.Wish) {
	for _, due := range list {
		group := w.groups[due.Session]
		if group != "" && w.asks(due) {
			w.queue.add(wish{due, group})
		}
	}
}

// still reports whether an answer can still make a difference.
func (w *watching) still(due opinion.Wish) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.due.Still(due)
}
