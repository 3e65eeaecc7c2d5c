package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/bundle"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// joining passes on what the evaluator wrote, joined with the turns that it read.
type joining struct {
	lost int // turns that the evaluator's record names but ingest's no longer holds
}

// pass joins one event.
func (j *joining) pass(joint *machines.Joint, in Input, take func(Input) error) error {
	e, given, err := joint.Take(*in.Event)
	if err != nil {
		return err
	}
	if given {
		in.Event = &e
		return take(in)
	}
	if _, turn := e.Data.(*evaluate.Recorded); turn {
		j.lost++
	}
	return nil
}

func (j *joining) notes() []string {
	if j.lost == 0 {
		return nil
	}
	return []string{fmt.Sprintf("turns left out because SEGMENTS no longer has them: %d", j.lost)}
}

// joints returns the joint of each partition of a bundle. Calling stop ends the reading of its turns.
func joints(ctx context.Context, b *bundle.Bundle) (of func(partition int) *machines.Joint, stop func()) {
	next, stop := iter.Pull2(turnsOf(ctx, b))
	waiting := map[int][]proof.Message{} // partitions do not progress equally
	made := map[int]*machines.Joint{}
	return func(partition int) *machines.Joint {
		if made[partition] == nil {
			made[partition] = &machines.Joint{Turns: func() (events.Event, error) {
				for len(waiting[partition]) == 0 {
					m, err, more := next()
					if err != nil || !more {
						return events.Event{}, cmp.Or(err, io.EOF)
					}
					at, _ := proof.Partition(m.Subject)
					waiting[at] = append(waiting[at], m)
				}
				m := waiting[partition][0]
				waiting[partition] = waiting[partition][1:]
				e, _, err := record.Decode(m)
				return e, err
			}}
		}
		return made[partition]
	}, stop
}

// turnsOf yields the turns that ingest wrote.
func turnsOf(ctx context.Context, b *bundle.Bundle) iter.Seq2[proof.Message, error] {
	return func(yield func(proof.Message, error) bool) {
		err := b.Each(ctx, events.StreamSegments, math.MaxUint64, func(m proof.Message) error {
			if m.Header.Get("ce-type") == string(sessionevents.TypeTurnSegmented) && !yield(m, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(proof.Message{}, err)
		}
	}
}
