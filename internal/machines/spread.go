package machines

import (
	"context"
	"hash/fnv"

	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Spread folds the sessions of one input on several cores. Sessions that depend only on
// their own events are distributed by group; runs and everything that belongs to them go
// to the first worker. A worker sees its groups in the order of the input.
type Spread struct {
	ctx    context.Context
	group  *errgroup.Group
	queues []chan dealt
	inputs int
}

// dealt is one input for a worker; without an event it marks the beginning of another
// file, or the end of all.
type dealt struct {
	number int
	event  *events.Event
	ends   bool
}

// waiting is the number of inputs that may be queued for a worker.
const waiting = 32

// NewSpread starts a worker for each set of variants. take receives what its variants
// decide about an input, with the number of the input, on the worker's goroutine.
func NewSpread(ctx context.Context, workers []*Variants, take func(worker, number int, derived [][]events.Event)) *Spread {
	s := &Spread{}
	s.group, s.ctx = errgroup.WithContext(ctx)
	for i, variants := range workers {
		queue := make(chan dealt, waiting)
		s.queues = append(s.queues, queue)
		s.group.Go(func() error {
			for d := range queue {
				derived, err := d.fold(variants)
				if err != nil {
					return err
				}
				if derived != nil {
					take(i, d.number, derived)
				}
				if s.ctx.Err() != nil {
					return s.ctx.Err()
				}
			}
			return nil
		})
	}
	return s
}

// fold returns the variants' decisions, nil at the beginning of a file.
func (d dealt) fold(variants *Variants) ([][]events.Event, error) {
	switch {
	case d.ends:
		return variants.End(), nil
	case d.event == nil:
		variants.Begin()
		return nil, nil
	}
	return variants.Feed(*d.event)
}

// Begin marks the beginning of another file.
func (s *Spread) Begin() error { return s.all(dealt{}) }

// End marks the end of all files, which decides everything that was waiting for another
// file.
func (s *Spread) End() error {
	s.inputs++
	return s.all(dealt{number: s.inputs, ends: true})
}

func (s *Spread) all(d dealt) error {
	for i := range s.queues {
		if err := s.deal(i, d); err != nil {
			return err
		}
	}
	return nil
}

// Feed passes a prepared event to the worker of its group.
func (s *Spread) Feed(e events.Event) error {
	s.inputs++
	return s.FeedAt(s.inputs, e)
}

// FeedAt is Feed with a number for the input that increases within each group.
func (s *Spread) FeedAt(number int, e events.Event) error {
	worker := 0
	if alone(e) {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(e.Group())) // never fails
		worker = int(sum.Sum32() % uint32(len(s.queues)))
	}
	return s.deal(worker, dealt{number: number, event: &e})
}

func (s *Spread) deal(worker int, d dealt) error {
	select {
	case s.queues[worker] <- d:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

// Wait waits until all input is folded and returns the first error.
func (s *Spread) Wait() error {
	for _, queue := range s.queues {
		close(queue)
	}
	return s.group.Wait()
}
