package engine

import (
	"context"
	"io"
	"iter"
)

// Only returns a recording that holds one group and nothing else.
func Only(r Recording, group string, partition int) Recording {
	r.Narrow(partition)
	return only{Recording: r, group: group, partition: partition}
}

type only struct {
	Recording
	group     string
	partition int
}

func (o only) Read(ctx context.Context, partition int, from Position) (Reading, error) {
	if partition != o.partition {
		return nothing{}, nil
	}
	inner, err := o.Recording.Read(ctx, partition, from)
	if err != nil {
		return nil, err
	}
	return onlyReading{Reading: inner, group: o.group}, nil
}

func (o only) Written(ctx context.Context, partition int) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if partition != o.partition {
			return
		}
		for message, err := range o.Recording.Written(ctx, partition) {
			if err == nil && groupOf(message.Subject) != o.group {
				continue
			}
			if !yield(message, err) {
				return
			}
		}
	}
}

// nothing is a reading that has ended.
type nothing struct{}

func (nothing) Next(context.Context) (Record, error) { return Record{}, io.EOF }
func (nothing) Ready() (Record, bool, error)         { return Record{}, false, io.EOF }
func (nothing) Close()                               {}

// onlyReading turns the records of other groups into idle ones.
type onlyReading struct {
	Reading
	group string
}

func (r onlyReading) Next(ctx context.Context) (Record, error) {
	record, err := r.Reading.Next(ctx)
	return r.idle(record), err
}

func (r onlyReading) Ready() (Record, bool, error) {
	record, ok, err := r.Reading.Ready()
	return r.idle(record), ok, err
}

func (r onlyReading) idle(record Record) Record {
	if record.Idle || record.Group == r.group {
		return record
	}
	return Record{Position: record.Position, Stream: record.Stream, Idle: true}
}
