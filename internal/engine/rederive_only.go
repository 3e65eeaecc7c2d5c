package engine

import (
	"context"
	"io"
	"iter"
)

// Only returns a recording that holds one group and nothing else.
func Only(r Recording, group string, partition int) Recording {
	r.Narrow(partition)
	return only{Recording: r, of: func(g string) bool { return g == group }, in: func(p int) bool { return p == partition }}
}

// Among returns a recording that holds the groups for which of returns true.
func Among(r Recording, of func(group string) bool) Recording {
	return only{Recording: r, of: of, in: func(int) bool { return true }}
}

type only struct {
	Recording
	of func(group string) bool
	in func(partition int) bool
}

func (o only) Read(ctx context.Context, partition int, from Position) (Reading, error) {
	if !o.in(partition) {
		return nothing{}, nil
	}
	inner, err := o.Recording.Read(ctx, partition, from)
	if err != nil {
		return nil, err
	}
	return onlyReading{Reading: inner, of: o.of}, nil
}

func (o only) Written(ctx context.Context, partition int) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if !o.in(partition) {
			return
		}
		for message, err := range o.Recording.Written(ctx, partition) {
			if err == nil && !o.of(groupOf(message.Subject)) {
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
	of func(group string) bool
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
	if record.Idle || r.of(record.Group) {
		return record
	}
	return Record{Position: record.Position, Stream: record.Stream, Idle: true}
}
