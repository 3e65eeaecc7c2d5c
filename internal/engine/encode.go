package engine

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Encode returns the message by which a stage stores an event that it derived in a group, in a
// stream with so many partitions. It fails for an event of another group and for one that does
// not belong in the stream.
func Encode(stream events.Stream, partitions int, group string, ev events.Event) (Message, error) {
	if ev.Group() != group {
		return Message{}, fmt.Errorf("%s belongs to group %q, its cause to %q", ev.Type, ev.Group(), group)
	}
	subject, err := subjects.StoredSubject(stream, ev, partitions)
	if err != nil {
		return Message{}, err
	}
	header, data, err := events.EncodeBinary(ev)
	if err != nil {
		return Message{}, err
	}
	return Message{Subject: subject, Header: header, Data: data}, nil
}
