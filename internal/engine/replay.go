package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// ErrOtherRules is returned (wrapped) by Replay when the recording was made under
// other rules or another configuration: a difference would prove nothing (EV-2).
var ErrOtherRules = errors.New("recorded under other rules")

// Recording is a stage's past: its source, whose readings end with io.EOF, and
// what the stage wrote.
type Recording interface {
	Source
	// Written yields the events the stage committed in a partition, in order.
	Written(ctx context.Context, partition int) iter.Seq2[Message, error]
	// Encode returns a message as the stage's sink does.
	Encode(partition int, group string, ev events.Event) (Message, error)
	// Narrow says, before the first reading, that only one partition will be read. A recording
	// may read its partitions together otherwise.
	Narrow(partition int)
	// Close ends what is read for several partitions together, also what no partition has begun
	// to use.
	Close()
}

// Difference is the first event that a replay derives differently.
type Difference struct {
	Partition int
	Index     int    // of the event in its partition, from 0
	ID        string // of the recorded event, else of the derived one
	Field     string // "subject", "header ce-time", "data.signals[2].urgency", or "event" for one that is missing
	Recorded  string // the values, shortened
	Derived   string
}

// Error describes the difference.
func (d *Difference) Error() string {
	return fmt.Sprintf("partition %d event %d (%s) differs in %s: recorded %s, derived %s",
		d.Partition, d.Index, d.ID, d.Field, d.Recorded, d.Derived)
}

// Replay runs the machine over a recording and compares what it derives with
// what was written, by the same runner that wrote it. It returns a *Difference
// (wrapped) for the first that is not equal, nil if there is none.
func Replay[S any](
	ctx context.Context, machine step.Machine[S], id step.Identity, recording Recording, o Options,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	sink := &comparing{ctx: ctx, recording: recording, logs: make([]*comparison, o.withDefaults().Partitions)}
	defer recording.Close()
	defer sink.stop()
	runner := &Runner[S]{Machine: machine, Identity: id, Source: recording, Sink: sink, Options: o.withoutSnapshots()}
	if err := runner.Run(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return sink.rest()
}

// withoutSnapshots returns the options of a replay: its sink keeps no snapshot, so none is
// encoded for nothing.
func (o Options) withoutSnapshots() Options {
	o.SnapshotFirst, o.SnapshotEvery = math.MaxInt32, math.MaxInt32
	return o
}

// comparing is the sink of a replay.
type comparing struct {
	ctx       context.Context // of the replay: that of the runner ends with it, and the rest is read then
	recording Recording
	logs      []*comparison
}

func (c *comparing) Open(_ context.Context, partition int) (Log, error) {
	if c.logs[partition] != nil { // a second attempt would restart the comparison in the middle
		return nil, &PermanentError{Err: fmt.Errorf("the recording of partition %d could not be read to its end", partition)}
	}
	next, stop := iter.Pull2(c.recording.Written(c.ctx, partition))
	c.logs[partition] = &comparison{recording: c.recording, partition: partition, next: next, stop: stop}
	return c.logs[partition], nil
}

func (c *comparing) stop() {
	for _, log := range c.logs {
		if log != nil {
			log.stop()
		}
	}
}

// rest returns an error for a recorded event that the replay did not derive.
func (c *comparing) rest() error {
	for _, log := range c.logs {
		if log == nil {
			continue
		}
		recorded, err, more := log.next()
		if err != nil {
			return fmt.Errorf("read the recording: %w", err)
		}
		if more {
			return log.missing(recorded, "an event", "none")
		}
	}
	return nil
}

// comparison is the log of one partition of a replay: it keeps nothing.
type comparison struct {
	recording Recording
	partition int
	index     int
	next      func() (Message, error, bool)
	stop      func()
}

func (c *comparison) Position() Position { return Position{} }

func (c *comparison) Encode(group string, ev events.Event) (Message, error) {
	return c.recording.Encode(c.partition, group, ev)
}

func (c *comparison) Snapshot(context.Context, string) (*Snapshot, error)        { return nil, nil }
func (c *comparison) Skipped(context.Context, string) (map[uint64]string, error) { return nil, nil }
func (c *comparison) DeadLetter(context.Context, DeadLetter) error               { return nil }
func (c *comparison) Options() LogOptions                                        { return LogOptions{} }

// Commit compares the batch with the recording, event by event.
func (c *comparison) Commit(_ context.Context, batch Batch) error {
	for _, derived := range batch.Messages {
		recorded, err, more := c.next()
		switch {
		case err != nil:
			return &PermanentError{Err: fmt.Errorf("read the recording: %w", err)}
		case !more:
			return &PermanentError{Err: c.missing(derived, "none", "an event")}
		}
		if err := c.compare(recorded, derived); err != nil {
			return &PermanentError{Err: err}
		}
		c.index++
	}
	return nil
}

func (c *comparison) missing(message Message, recorded, derived string) *Difference {
	return &Difference{
		Partition: c.partition, Index: c.index, ID: headers(message)["ce-id"], Field: "event",
		Recorded: recorded, Derived: derived,
	}
}
