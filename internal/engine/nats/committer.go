package nats

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
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

const (
	maxBatch      = proof.MaxBatch // messages of an atomic batch, the broker's limit
	maxBatchBytes = 16 << 20       // that sections are put together up to
	batchTimeout  = 8 * time.Second
)

// section is what one partition commits: its messages, its checkpoint last. It
// stays in one piece, so that its sequences are consecutive.
type section struct {
	messages []*nats.Msg
	bytes    int
	sequence uint64 // of the checkpoint, once written
	err      error
	done     chan struct{}
}

// committer writes the sections of a stream's partitions. While one atomic
// batch is under way those that come wait, and go together in the next: a batch
// costs the same few milliseconds whatever its size (facts/nats.md). Each
// section keeps its own fence.
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

// drain writes until nothing waits.
func (c *committer) drain() {
	for {
		together := c.take()
		if together == nil {
			return
		}
		err := c.write(together)
		var refused *jetstream.APIError
		if len(together) > 1 && errors.As(err, &refused) {
			// Nothing was written: one of them is to blame, each goes alone.
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

// take removes the first sections that fit into one batch, nil if none waits.
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

// publish returns the sequence of the last message. A checkpoint alone needs no batch.
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
	// One answer at the end tells all: there is nothing to learn from the first.
	ack, err := jetstreamext.PublishMsgBatch(ctx, c.js, messages, jetstreamext.BatchFlowControl{AckFirst: false, AckTimeout: batchTimeout})
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// wrongSequence are the broker's codes for a fence that does not hold.
var wrongSequence = map[jetstream.ErrorCode]bool{10071: true, 10164: true}

func fenced(err error) error {
	var refused *jetstream.APIError
	if errors.As(err, &refused) && wrongSequence[refused.ErrorCode] {
		return fmt.Errorf("%w: %w", engine.ErrFenced, err)
	}
	return err
}
