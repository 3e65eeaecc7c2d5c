package advisor

import (
	"context"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
)

// wish is a question that is due, with the group of its session.
type wish struct {
	opinion.Wish
	group string
}

// queue holds the questions that wait. When it is full, the oldest leaves: a late answer is worth the
// least (AD-4, AD-5). Nobody who adds to it ever waits.
type queue struct {
	mu      sync.Mutex
	list    []wish
	most    int
	dropped func()
	filled  chan struct{}
}

func newQueue(most int, dropped func()) *queue {
	return &queue{most: most, dropped: dropped, filled: make(chan struct{}, 1)}
}

func (q *queue) add(w wish) {
	q.mu.Lock()
	if len(q.list) >= q.most {
		q.list = q.list[1:]
		q.dropped()
	}
	q.list = append(q.list, w)
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.filled <- struct{}{}:
	default:
	}
}

// next waits for a question; false when ctx ends.
func (q *queue) next(ctx context.Context) (wish, bool) {
	for {
		q.mu.Lock()
		if len(q.list) > 0 {
			w := q.list[0]
			q.list = q.list[1:]
			more := len(q.list) > 0
			q.mu.Unlock()
			if more {
				q.wake() // for another worker
			}
			return w, true
		}
		q.mu.Unlock()
		select {
		case <-ctx.Done():
			return wish{}, false
		case <-q.filled:
		}
	}
}
