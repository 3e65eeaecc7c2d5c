package commit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

const (
	maxBatch      = proof.MaxBatch // messages of an atomic batch, the broker's limit
	maxBatchBytes = 16 << 20       // up to which sections share a batch
	batchTimeout  = 8 * time.Second
)

// section is what one partition commits: its messages and, last, its checkpoint. It is never
// split, so its sequences are consecutive.
type section struct {
	messages []*nats.Msg
	bytes    int
	sequence uint64 // of the checkpoint, once written
	err      error
	done     chan struct{}
}

// committer writes the sections of a stream's partitions. Sections that arrive while an atomic
// batch is being written share the next one, as a batch costs about the same whatever its size.
// Each section keeps its own fence.
type committer struct {
	js jetstream.JetStream

	mu    sync.Mutex
	queue []*section
	busy  bool
}

// commit writes a section and returns the sequence of its checkpoint.
func (c *committer) commit(ctx context.Context, s *section) (uint64, error) {
	s.done = make(chan struct{})
	c.mu.Lock()
	c.queue = append(c.queue, s)
	if !c.busy {
		c.busy = true
		go c.drain()
	}
	c.mu.Unlock()
	select {
	case <-s.done:
		return s.sequence, s.err
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the commit: %w", ctx.Err())
	}
}

// drain writes until the queue is empty.
func (c *committer) drain() {
	for {
		together := c.take()
		if together == nil {
			return
		}
		err := c.write(together)
		var refused *jetstream.APIError
		if len(together) > 1 && errors.As(err, &refused) {
			// Nothing was written because of one of them: write each alone.
			for _, s := range together {
				s.err = c.write([]*section{s})
			}
		} else {
			for _, s := range together {
				s.err = err
			}
		}
		for _, s := range together {
			close(s.done)
		}
	}
}

// take removes and returns the first sections that fit into one batch, nil if the queue is
// empty.
func (c *committer) take() []*section {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		c.busy = false
		return nil
	}
	n, messages, bytes := 0, 0, 0
	for _, s := range c.queue {
		messages, bytes = messages+len(s.messages), bytes+s.bytes
		if n > 0 && (messages > maxBatch || bytes > maxBatchBytes) {
			break
		}
		n++
	}
	together := c.queue[:n:n]
	c.queue = c.queue[n:]
	return together
}

// write sends sections as one batch and sets their sequences.
func (c *committer) write(together []*section) error {
	ctx, cancel := context.WithTimeout(context.Background(), batchTimeout)
	defer cancel()
	var messages []*nats.Msg
	for _, s := range together {
		messages = append(messages, s.messages...)
	}
	last, err := c.publish(ctx, messages)
	if err != nil {
		return fenced(err)
	}
	at := last - uint64(len(messages))
	for _, s := range together {
		at += uint64(len(s.messages))
		s.sequence = at
	}
	return nil
}

// publish writes messages and returns the sequence of the last one. A checkpoint by itself
// needs no batch.
func (c *committer) publish(ctx context.Context, messages []*nats.Msg) (uint64, error) {
	if len(messages) == 1 {
		for _, name := range []string{jetstreamext.BatchIDHeader, jetstreamext.BatchSeqHeader, jetstreamext.BatchCommitHeader} {
			messages[0].Header.Del(name) // of a batch that was refused
		}
		ack, err := c.js.PublishMsg(ctx, messages[0], jetstream.WithRetryAttempts(0))
		if err != nil {
			return 0, err
		}
		return ack.Sequence, nil
	}
	// The answer to the last message covers the batch; the first needs none.
	ack, err := jetstreamext.PublishMsgBatch(ctx, c.js, messages, jetstreamext.BatchFlowControl{AckFirst: false, AckTimeout: batchTimeout})
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

func fenced(err error) error {
	if natsengine.Outdated(err) {
		return fmt.Errorf("%w: %w", engine.ErrFenced, err)
	}
	return err
}
