package read

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// LookUp returns what the broker says of a stream. While a stage commits, the last message may
// be in the middle of its batch; LookUp waits a moment for the end of the batch.
func LookUp(ctx context.Context, b *natsengine.Broker, name events.Stream) (proof.Stream, error) {
	const tries, pause = 5, 100 * time.Millisecond
	for try := 1; ; try++ {
		stream, err := b.JetStream().Stream(ctx, string(name))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return proof.Stream{Name: name, Missing: true}, nil
		}
		if err != nil {
			return proof.Stream{}, fmt.Errorf("look up stream %s: %w", name, err)
		}
		info := stream.CachedInfo()
		found := proof.Stream{
			Name: name, Created: natsengine.CreatedAt(info),
			First: info.State.FirstSeq, Last: info.State.LastSeq, Kept: info.State.Msgs,
			MaxAge: info.Config.MaxAge, MaxBytes: max(info.Config.MaxBytes, 0), Now: info.TimeStamp,
		}
		if found.Kept == 0 {
			return found, nil
		}
		last, err := proof.NewStore(stream).At(ctx, found.Last)
		if err != nil {
			return proof.Stream{}, err
		}
		if try == tries || subjects.StageOf(name) == "" || last == nil || strings.HasPrefix(last.Subject, "ckpt.") {
			return found, nil
		}
		select {
		case <-ctx.Done():
			return proof.Stream{}, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Each calls take with every message that a stream holds through a sequence, in order and
// accepted or not. It returns the error of take.
func Each(
	ctx context.Context, b *natsengine.Broker, name events.Stream, through uint64, take func(proof.Message) error,
) error {
	found, err := LookUp(ctx, b, name)
	if err != nil || found.Missing || found.Kept == 0 || found.First > through {
		return err
	}
	reading, err := openOrdered(ctx, b, name, orderedOptions{from: found.First, ends: true})
	if err != nil {
		return err
	}
	defer reading.stop()
	var judged error
	err = reading.each(ctx, func(m proof.Message) (bool, error) {
		if m.Sequence > through {
			return false, nil
		}
		judged = take(m)
		return m.Sequence < through, judged
	})
	if err != nil && judged == nil {
		return fmt.Errorf("read stream %s: %w", name, err)
	}
	return err
}
