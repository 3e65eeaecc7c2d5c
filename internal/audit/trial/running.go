package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/stage/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Running returns a feed that folds what ingest or the evaluator of a running system has written. It writes
// nothing, not even a consumer's position.
func Running(broker *nats.Broker) Feed {
	return func(ctx context.Context, f *Folding, t *Trial) ([]string, error) {
		options := read.Options{Stage: t.from, Partition: nats.AllPartitions}
		if t.from == machines.Joined {
			options.Stage = evaluate.StageName
		}
		only := ""
		var err error
		if t.Only != "" {
			if only, err = groupOf(ctx, broker, options, t.Only); err != nil {
				return nil, err
			}
		}
		stored, err := read.LookUp(ctx, broker, streams[options.Stage])
		if err != nil {
			return nil, err
		}
		bar := t.Progress(int64(stored.Last))
		defer bar.Done()
		reading := &recordedRead{broker: broker, trial: t, only: only, progress: bar, others: map[string]bool{}}
		err = f.Read(ctx, func(ctx context.Context, take func(Input) error) error {
			if t.from == machines.Joined {
				return reading.joined(ctx, take)
			}
			return reading.stage(ctx, options, take)
		})
		if err != nil {
			return nil, err
		}
		notes := reading.notes()
		if stored.First > 1 {
			notes = append(notes, fmt.Sprintf("%s no longer holds the oldest records: sessions that began there are incomplete", streams[options.Stage]))
		}
		return notes, nil
	}
}

// groupOf finds the group in which a session is recorded: itself or its run.
func groupOf(ctx context.Context, broker *nats.Broker, o read.Options, session string) (string, error) {
	found := errors.New("found")
	group := ""
	err := read.All(ctx, broker, o, func(a read.Accepted) error {
		if a.Fault == "" && (a.Input.Event.Subject == session || a.Group == session) {
			group = a.Group
			return found
		}
		return nil
	})
	if errors.Is(err, found) {
		return group, nil
	}
	if err == nil {
		err = fmt.Errorf("no record of %q was found", session)
	}
	return "", err
}

// recordedRead reads the record of the running system.
type recordedRead struct {
	broker   *nats.Broker
	trial    *Trial
	only     string // the group that is read; "" means all
	progress Bar
	others   map[string]bool // groups recorded under rules other than the current ones
	joining
}

// stage reads what one stage wrote, in the order of the stream.
func (r *recordedRead) stage(ctx context.Context, o read.Options, take func(Input) error) error {
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
		return take(Input{Event: &e, At: a.Stored})
	})
}

// joined reads what ingest and the evaluator wrote, partition by partition; within one, their events are in
// the same order. What was recorded under other rules is not reused.
func (r *recordedRead) joined(ctx context.Context, take func(Input) error) error {
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
func (r *recordedRead) partition(ctx context.Context, partition int, take func(Input) error) error {
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
		return r.pass(&joint, Input{Event: &a.Input.Event, At: a.Stored, number: int(a.Position.Sequence)}, take)
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
