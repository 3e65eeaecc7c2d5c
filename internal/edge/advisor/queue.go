package advisor

import (
	"context"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
)

// wish is a question that is due, with its session's group.
type wish struct {
	opinion.Wish
	group string
}

// queue holds pending questions. When it is full, the oldest is dropped: a late answer is worth the least
// (AD-4, AD-5). Adding never blocks.
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

// next waits for a question; it returns false when ctx ends.
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

// answering answers what waits in a queue until ctx ends, at most so many questions at a time (AD-5). It
// returns at once; wait returns when the last answer has.
func answering(ctx context.Context, most int, q *queue, answer func(wish)) (wait func()) {
	var workers sync.WaitGroup
	for range most {
		workers.Go(func() {
			for {
				next, ok := q.next(ctx)
				if !ok {
					return
				}
				answer(next)
			}
		})
	}
	return workers.Wait
}
