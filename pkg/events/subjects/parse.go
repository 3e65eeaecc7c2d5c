package subjects

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// ParseSubject splits a subject of the pipeline into its parts. It accepts exactly what
// [Subject.String] writes for known classes: valid stage names, partitions without
// leading zeros, and groups and ids that pass [ValidID].
func ParseSubject(subject string) (Subject, error) {
	tokens := strings.Split(subject, ".")
	var s Subject
	var rest []string
	switch {
	case tokens[0] == "ckpt" && len(tokens) == 3:
		s, rest = Subject{Kind: KindCheckpoint, Stage: tokens[1]}, tokens[2:]
	case tokens[0] == "snap" && len(tokens) == 4:
		s, rest = Subject{Kind: KindSnapshot, Stage: tokens[1]}, tokens[2:]
	case tokens[0] == "dead" && len(tokens) == 5:
		s, rest = Subject{Kind: KindDeadLetter, Stream: events.StreamDeadLetter, Stage: tokens[1]}, tokens[2:]
	case len(tokens) == 6:
		in, ok := forwardPrefixes[tokens[0]]
		if !ok {
			return Subject{}, badSubject(subject, "no stream forwards under "+invalid.Quote(tokens[0]))
		}
		s, rest = Subject{Kind: KindForwarded, Stream: in, Class: tokens[1] + "." + tokens[2]}, tokens[3:]
	case len(tokens) == 5:
		s, rest = Subject{Kind: KindStored, Class: tokens[0] + "." + tokens[1]}, tokens[2:]
	case len(tokens) == 4:
		return parsePublished(subject, tokens)
	default:
		return Subject{}, badSubject(subject, fmt.Sprintf("%d tokens fit no subject of the pipeline", len(tokens)))
	}
	return finishSubject(subject, s, rest)
}

var forwardPrefixes = map[string]events.Stream{
	streamPrefix(events.StreamSegments): events.StreamSegments, streamPrefix(events.StreamSignals): events.StreamSignals, streamPrefix(events.StreamDecisions): events.StreamDecisions,
}

func parsePublished(subject string, tokens []string) (Subject, error) {
	s := Subject{Kind: KindPublished, Class: tokens[0] + "." + tokens[1], Group: tokens[2], ID: tokens[3]}
	home, ok := classStream[s.Class]
	if !ok || home != events.StreamInput {
		return Subject{}, badSubject(subject, invalid.Quote(s.Class)+" is nothing a publisher sends")
	}
	s.Stream = events.StreamInput
	if err := checkTokens(subject, s); err != nil {
		return Subject{}, err
	}
	return s, nil
}

// finishSubject reads partition, group and id, as far as they are present.
func finishSubject(subject string, s Subject, rest []string) (Subject, error) {
	p, err := strconv.Atoi(rest[0])
	if err != nil || p < 0 || strconv.Itoa(p) != rest[0] {
		return Subject{}, badSubject(subject, invalid.Quote(rest[0])+" is not a partition")
	}
	s.Partition = p
	if len(rest) > 1 {
		s.Group = rest[1]
	}
	if len(rest) > 2 {
		s.ID = rest[2]
	}
	if s.Class != "" {
		home, ok := classStream[s.Class]
		if !ok {
			return Subject{}, badSubject(subject, "no event type has subjects "+invalid.Quote(s.Class))
		}
		if s.Kind == KindStored {
			s.Stream = home
		} else if home == s.Stream {
			return Subject{}, badSubject(subject, invalid.Quote(s.Class)+" is at home in this stream, not forwarded")
		}
	}
	if err := checkTokens(subject, s); err != nil {
		return Subject{}, err
	}
	return s, nil
}

func checkTokens(subject string, s Subject) error {
	hasGroup := s.Kind != KindCheckpoint
	hasID := hasGroup && s.Kind != KindSnapshot
	switch {
	case s.Class == "" && !events.ValidID(s.Stage):
		return badSubject(subject, "stage "+invalid.Quote(s.Stage)+" is not a valid name")
	case hasGroup && !events.ValidID(s.Group):
		return badSubject(subject, "group "+invalid.Quote(s.Group)+" is not a valid id")
	case hasID && !events.ValidID(s.ID):
		return badSubject(subject, "id "+invalid.Quote(s.ID)+" is not a valid id")
	}
	return nil
}

func badSubject(subject, problem string) *invalid.Error {
	return &invalid.Error{Code: invalid.BadSubject, Field: "nats subject " + invalid.Quote(subject), Problem: problem}
}

// Fits reports whether a message with this ce-type is allowed on this subject (EV-6): the
// subject's class must be the type's, and a derived type must not be on a published
// subject.
func Fits(t events.Type, subject string) bool {
	d, ok := events.Lookup(t)
	if !ok {
		return false
	}
	s, err := ParseSubject(subject)
	return err == nil && s.Class == d.SubjectClass
}

// classStream maps each subject class to the stream it belongs to.
var classStream = func() map[string]events.Stream {
	out := make(map[string]events.Stream, len(events.All()))
	for _, d := range events.All() {
		out[d.SubjectClass] = d.Stream
	}
	return out
}()
