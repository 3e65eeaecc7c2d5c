package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// recordedRead reads the record of the running system.
type recordedRead struct {
	call     *cli.Call
	broker   *nats.Broker
	trial    *trial
	only     string // the group that is read; "" means all
	progress *terminal.Progress
	others   map[string]bool // groups recorded under rules other than the current ones
	joining
}

// stage reads what one stage wrote, in the order of the stream.
func (r *recordedRead) stage(ctx context.Context, o read.Options, take func(input) error) error {
	at := uint64(0)
	return read.All(ctx, r.broker, o, func(a read.Accepted) error {
		r.progress.Add(int64(a.Position.Sequence - at))
		at = a.Position.Sequence
		if a.Fault != "" || r.only != "" && a.Group != r.only {
			return nil
		}
		e := a.Input.Event
		if e.ConfigHash != "" && e.ConfigHash != r.trial.present.Hash {
			r.others[e.Group()] = true
		}
		return take(input{event: &e, at: a.Stored})
	})
}

// joined reads what ingest and the evaluator wrote, partition by partition; within one, their events are in
// the same order. What was recorded under other rules is not reused.
func (r *recordedRead) joined(ctx context.Context, take func(input) error) error {
	if err := r.underOtherRules(ctx); err != nil {
		return err
	}
	for partition := range r.broker.Topology().Partitions {
		if err := r.partition(ctx, partition, take); err != nil {
			return err
		}
	}
	return nil
}

// underOtherRules finds the groups that were recorded under rules other than the current ones.
func (r *recordedRead) underOtherRules(ctx context.Context) error {
	o := read.Options{Stage: evaluate.StageName, Partition: nats.AllPartitions, Raw: true}
	return read.All(ctx, r.broker, o, func(a read.Accepted) error {
		header := func(name string) string {
			if values := a.Header[name]; len(values) > 0 {
				return values[0]
			}
			return ""
		}
		if hash := header("ce-confighash"); hash != "" && hash != r.trial.present.Hash {
			group := cmp.Or(header("ce-partitionkey"), header("ce-subject"))
			r.trial.whole[group] = true
			if r.only == "" || group == r.only {
				r.others[group] = true
			}
		}
		return nil
	})
}

// partition reads one partition.
func (r *recordedRead) partition(ctx context.Context, partition int, take func(input) error) error {
	turns, stop := iter.Pull2(r.written(ctx, partition))
	defer stop()
	joint := machines.Joint{Turns: func() (events.Event, error) {
		e, err, more := turns()
		if !more {
			err = io.EOF
		}
		return e, err
	}}
	o := read.Options{Stage: evaluate.StageName, Partition: partition}
	return read.All(ctx, r.broker, o, func(a read.Accepted) error {
		r.progress.Add(1)
		if a.Fault != "" || r.only != "" && a.Group != r.only {
			return nil
		}
		return r.pass(&joint, input{event: &a.Input.Event, at: a.Stored, number: int(a.Position.Sequence)}, take)
	})
}

// errEnough ends a read early.
var errEnough = errors.New("enough")

// written yields what ingest wrote in a partition.
func (r *recordedRead) written(ctx context.Context, partition int) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		o := read.Options{Stage: "ingest", Partition: partition}
		err := read.All(ctx, r.broker, o, func(a read.Accepted) error {
			if a.Fault != "" || r.only != "" && a.Group != r.only {
				return nil
			}
			if !yield(a.Input.Event, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(events.Event{}, err)
		}
	}
}

func (r *recordedRead) notes() (list []string) {
	if len(r.others) > 0 {
		list = append(list, fmt.Sprintf("sessions and runs recorded under rules other than the current ones, so that their current decisions are not the recorded ones: %d", len(r.others)))
	}
	return append(list, r.joining.notes()...)
}
