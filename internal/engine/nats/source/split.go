package source

import (
	"context"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
)

// splitAhead bounds the bytes that are queued for partitions that lag behind others. The
// partition with the most bytes queued then reads the rest by itself.
const splitAhead = 128 << 20

// split reads a stream once for several partitions. With a reader for each, the broker would
// search its index for every message.
type split struct {
	shared read.Messages
	alone  func(ctx context.Context, partition int, from uint64) (read.Messages, error)

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

// newSplit divides the messages of shared among partitions.
func newSplit(
	shared read.Messages, partitions []int, alone func(context.Context, int, uint64) (read.Messages, error),
) *split {
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
	waiting   []proof.Message
	bytes     int
	last      uint64        // sequence queued
	behind    bool          // reads the rest by itself, after last
	own       read.Messages // does that
	closed    bool
}

// take returns the messages of a partition, nil if it is not one of those divided, if it was
// taken before, or if all that were taken are closed.
func (s *split) take(partition int) read.Messages {
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

// Next waits for a message. The first part that has none queued reads for all of them.
func (p *part) Next(ctx context.Context) (proof.Message, error) {
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
			return proof.Message{}, err
		case s.reading:
			s.changed.Wait()
		default:
			s.read(ctx)
		}
	}
}

// read reads at least one message, and what else has arrived, and divides them. The caller
// holds the lock.
func (s *split) read(ctx context.Context) {
	const most = 64
	s.reading = true
	s.mu.Unlock()
	var got []proof.Message
	m, err := s.shared.Next(ctx)
	for more := err == nil; more; {
		if got = append(got, m); len(got) == most {
			break
		}
		m, more = s.shared.Ready()
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
func (s *split) divide(m proof.Message) {
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

// pop removes and returns the first queued message. The caller holds the lock.
func (p *part) pop() (proof.Message, bool) {
	if len(p.waiting) == 0 {
		return proof.Message{}, false
	}
	m := p.waiting[0]
	p.waiting[0] = proof.Message{}
	p.waiting = p.waiting[1:]
	p.bytes -= len(m.Data)
	p.split.bytes -= len(m.Data)
	return m, true
}

// rest reads what comes after the messages that were queued.
func (p *part) rest(ctx context.Context) (proof.Message, error) {
	if p.own == nil {
		own, err := p.split.alone(ctx, p.partition, p.last+1)
		if err != nil {
			return proof.Message{}, err
		}
		p.own = own
	}
	return p.own.Next(ctx)
}

func (p *part) Ready() (proof.Message, bool) {
	p.split.mu.Lock()
	m, queued := p.pop()
	p.split.mu.Unlock()
	if !queued && p.own != nil {
		return p.own.Ready()
	}
	return m, queued
}

func (p *part) Close() {
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
		own.Close()
	}
	if last {
		s.end()
	}
}

// end closes the shared reading. No part is read any more.
func (s *split) end() {
	if s == nil {
		return
	}
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if !closed {
		s.shared.Close()
	}
}
