package client_test

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// committing keeps what two tests' stand-ins commit apart: a batch lies in one piece.
var committing sync.Mutex

// commit writes messages of one partition and the checkpoint that covers them.
func commit(ctx context.Context, js jetstream.JetStream, key nkeys.KeyPair, messages ...*nats.Msg) error {
	committing.Lock()
	defer committing.Unlock()
	partition, _ := proof.Partition(messages[0].Subject)
	c := &proof.Checkpoint{Version: 1, Stage: "dispatcher", Partition: partition, Source: "SIGNALS", Count: len(messages), Outputs: len(messages)}
	subject := subjects.CheckpointSubject(c.Stage, partition)
	stream, err := js.Stream(ctx, string(events.StreamDecisions))
	if err != nil {
		return err
	}
	before, err := stream.GetLastMsgForSubject(ctx, subject)
	switch {
	case err == nil:
		c.Fence, c.Previous = before.Sequence, proof.Head(before.Data)
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return err
	}
	var hashes [][32]byte
	for _, m := range messages {
		hash := proof.HashOf(m.Subject, m.Header, m.Data)
		hashes, c.Marks = append(hashes, hash), append(c.Marks, hash[:proof.MarkSize]...)
		if _, err := js.PublishMsg(ctx, m); err != nil {
			return err
		}
	}
	c.Digest = proof.Digest(hashes)
	data, err := c.Seal(key)
	if err != nil {
		return err
	}
	_, err = js.Publish(ctx, subject, data)
	return err
}
