package nats

import (
	"context"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// messages are those of a stream on some subjects, in order. One goroutine uses them.
type messages interface {
	next(ctx context.Context) (message, error)
	ready() (message, bool) // next without waiting
	close()
}

// splitAhead bounds the bytes that wait for partitions that are not as far as others. One
// whose messages would be more reads the rest by itself.
const splitAhead = 128 << 20

// split reads a stream once for several partitions. A reader for each of them costs the
// broker a search of its index for every message.
type split struct {
	shared messages
	alone  func(ctx context.Context, partition int, from uint64) (messages, error)

	mu      sync.Mutex
	changed *sync.Cond
	parts   map[int]*part
	reading bool  // somebody reads from shared
	err     error // that ended it
	bytes   int
	ahead   int  // most bytes that wait
	open    int  // parts that are taken and not closed
	closed  bool // so is shared
}

// newSplit divides what shared reads among partitions.
func newSplit(shared messages, partitions []int, alone func(context.Context, int, uint64) (messages, error)) *split {
	s := &split{shared: shared, alone: alone, parts: map[int]*part{}, ahead: splitAhead}
	s.changed = sync.NewCond(&s.mu)
	for _, p := range partitions {
		s.parts[p] = &part{split: s, partition: p}
	}
	return s
}

// part is one partition's messages.
type part struct {
	split     *split
	partition int
	taken     bool
	waiting   []message
	bytes     int
	last      uint64   // sequence queued
	behind    bool     // reads the rest by itself, after last
	own       messages // does that
	closed    bool
}

// take returns a partition's part, nil if it is not among them or was taken before, or if
// all that were taken are closed.
func (s *split) take(partition int) messages {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.parts[partition]
	if p == nil || p.taken || s.closed {
		return nil
	}
	p.taken = true
	s.open++
	return p
}

// next waits for a message. Whoever has none reads for all.
func (p *part) next(ctx context.Context) (message, error) {
	s := p.split
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})()
	s.mu.Lock()
	for {
		m, queued := p.pop()
		switch {
		case queued:
			s.mu.Unlock()
			return m, nil
		case p.behind:
			s.mu.Unlock()
			return p.rest(ctx)
		case s.err != nil || ctx.Err() != nil:
			err := s.err
			s.mu.Unlock()
			if err == nil {
				err = ctx.Err()
			}
			return message{}, err
		case s.reading:
			s.changed.Wait()
		default:
			s.read(ctx)
		}
	}
}

// read reads what is at hand, at least one message, and divides it. The caller holds the lock.
func (s *split) read(ctx context.Context) {
	const most = 64
	s.reading = true
	s.mu.Unlock()
	var got []message
	m, err := s.shared.next(ctx)
	for more := err == nil; more; {
		if got = append(got, m); len(got) == most {
			break
		}
		m, more = s.shared.ready()
	}
	s.mu.Lock()
	s.reading = false
	if err != nil && ctx.Err() == nil {
		s.err = err
	}
	for _, m := range got {
		s.divide(m)
	}
	s.changed.Broadcast()
}

// divide queues a message for its partition.
func (s *split) divide(m message) {
	partition, _ := proof.Partition(m.Subject)
	p := s.parts[partition]
	if p == nil || p.closed || p.behind {
		return
	}
	p.waiting, p.last = append(p.waiting, m), m.Sequence
	p.bytes += len(m.Data)
	if s.bytes += len(m.Data); s.bytes <= s.ahead {
		return
	}
	most := p
	for _, other := range s.parts {
		if !other.behind && other.bytes > most.bytes {
			most = other
		}
	}
	most.behind = true
}

// pop returns the first message that waits. The caller holds the lock.
func (p *part) pop() (message, bool) {
	if len(p.waiting) == 0 {
		return message{}, false
	}
	m := p.waiting[0]
	p.waiting[0] = message{}
	p.waiting = p.waiting[1:]
	p.bytes -= len(m.Data)
	p.split.bytes -= len(m.Data)
	return m, true
}

// rest reads what comes after the messages that were queued.
func (p *part) rest(ctx context.Context) (message, error) {
	if p.own == nil {
		own, err := p.split.alone(ctx, p.partition, p.last+1)
		if err != nil {
			return message{}, err
		}
		p.own = own
	}
	return p.own.next(ctx)
}

func (p *part) ready() (message, bool) {
	p.split.mu.Lock()
	m, queued := p.pop()
	p.split.mu.Unlock()
	if !queued && p.own != nil {
		return p.own.ready()
	}
	return m, queued
}

func (p *part) close() {
	s := p.split
	s.mu.Lock()
	own := p.own
	if p.own = nil; !p.closed {
		p.closed = true
		s.bytes -= p.bytes
		p.waiting, p.bytes = nil, 0
		s.open--
	}
	last := s.open == 0
	s.mu.Unlock()
	if own != nil {
		own.close()
	}
	if last {
		s.end()
	}
}

// end closes what is shared. Who still reads a part has been stopped before.
func (s *split) end() {
	if s == nil {
		return
	}
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if !closed {
		s.shared.close()
	}
}
