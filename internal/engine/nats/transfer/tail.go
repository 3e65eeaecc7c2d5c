package transfer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// tail completes the copy of a stream that goes on meanwhile.
type tail struct {
	broker    *natsengine.Broker
	name      string
	derived   bool // a stage writes it, in batches
	last      uint64
	subject   string // of the last message
	snapshots map[string]bool
}

func newTail(b *natsengine.Broker, name string) *tail {
	return &tail{broker: b, name: name, derived: subjects.StageOf(events.Stream(name)) != "", snapshots: map[string]bool{}}
}

// saw notes a message of the copy.
func (t *tail) saw(r Record) {
	t.last, t.subject = r.Sequence, r.Subject
	if t.derived && strings.HasPrefix(r.Subject, "snap.") {
		t.snapshots[r.Subject] = true
	}
}

// A stage commits within moments. What is not the end of a batch after that is a foreign
// message, which no batch follows.
const (
	settleRounds = 200
	settlePause  = 20 * time.Millisecond
	settleIdle   = 25 // rounds in which nothing came
)

// settle reads on until the copy ends with a batch and lacks no state snapshot.
func (t *tail) settle(ctx context.Context, take func(Record) error) error {
	if !t.derived {
		return nil
	}
	idle := 0
	for range settleRounds {
		whole, err := t.whole(ctx)
		if err != nil || whole || idle == settleIdle {
			return err
		}
		from := t.last
		if err := t.readOn(ctx, take); err != nil {
			return err
		}
		if idle++; t.last > from {
			idle = 0
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settlePause):
		}
	}
	return errors.New("its state snapshots are replaced faster than they can be read: run the backup again when less is committed")
}

// whole reports whether the copy ends with a batch and lacks no snapshot.
func (t *tail) whole(ctx context.Context) (bool, error) {
	if t.subject != "" && !strings.HasPrefix(t.subject, "ckpt.") {
		return false, nil
	}
	var held []string
	err := untilLed(ctx, func(ctx context.Context) error {
		stream, err := t.broker.JetStream().Stream(ctx, t.name)
		if err != nil {
			return fmt.Errorf("look up stream %s: %w", t.name, err)
		}
		held, err = proof.NewStore(stream).Subjects(ctx, []string{"snap.>"})
		return err
	})
	if err != nil {
		return false, err
	}
	for _, subject := range held {
		if !t.snapshots[subject] {
			return false, nil
		}
	}
	return true, nil
}

// readOn reads what the stream holds after the copy.
func (t *tail) readOn(ctx context.Context, take func(Record) error) error {
	for {
		r, err := record(ctx, t.broker, t.name, t.last+1)
		if err != nil || r == nil {
			return err
		}
		if err := take(*r); err != nil {
			return err
		}
	}
}
