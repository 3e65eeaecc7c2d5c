package advisor

import (
	"context"
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
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	for {
		select {
		case e := <-read:
			w.take(e)
			quiet.Reset(settled)
		case <-quiet.C:
			w.settle()
		case err := <-failed:
			return err
		}
	}
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

func (w *watching) settle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.want(w.due.Settled())
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
