package proof

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Message is one stored message, however it was read.
type Message struct {
	Subject  string
	Header   nats.Header
	Data     []byte
	Sequence uint64
	Time     time.Time
	Pending  uint64
}

// Hash covers what a checkpoint proves of the message.
func (m Message) Hash() [32]byte { return HashOf(m.Subject, m.Header, m.Data) }

// Store reads single messages of one stream.
type Store struct {
	Stream jetstream.Stream
	name   string
	leader *leader // nil: whoever the client library asks
}

// NewStore reads single messages of a stream.
func NewStore(stream jetstream.Stream) *Store {
	return &Store{Stream: stream, name: stream.CachedInfo().Config.Name}
}

// State returns the stream's current state.
func (s *Store) State(ctx context.Context) (jetstream.StreamState, error) {
	info, err := s.Stream.Info(ctx)
	if err != nil {
		return jetstream.StreamState{}, fmt.Errorf("look up stream %s: %w", s.name, err)
	}
	return info.State, nil
}

// Subjects returns the subjects with messages that match filters, sorted. The next
// message on one subject is found at once; on a filter the broker may have to search
// to the end of the stream.
func (s *Store) Subjects(ctx context.Context, filters []string) ([]string, error) {
	var all []string
	for _, filter := range filters {
		info, err := s.Stream.Info(ctx, jetstream.WithSubjectFilter(filter))
		if err != nil {
			return nil, fmt.Errorf("list the subjects %s of %s: %w", filter, s.name, err)
		}
		all = slices.AppendSeq(all, maps.Keys(info.State.Subjects))
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// At returns the message at a sequence, nil if there is none.
func (s *Store) At(ctx context.Context, sequence uint64) (*Message, error) {
	if s.leader != nil {
		return s.got(s.leader.get(ctx, wanted{Seq: sequence}))
	}
	return s.got(s.Stream.GetMsg(ctx, sequence))
}

// Next returns the first message on a subject from a sequence on, nil if there is
// none.
func (s *Store) Next(ctx context.Context, subject string, from uint64) (*Message, error) {
	if s.leader != nil {
		return s.got(s.leader.get(ctx, wanted{Seq: max(from, 1), NextFor: subject}))
	}
	return s.got(s.Stream.GetMsg(ctx, max(from, 1), jetstream.WithGetMsgSubject(subject)))
}

// Last returns the last message on a subject, nil if there is none.
func (s *Store) Last(ctx context.Context, subject string) (*Message, error) {
	if s.leader != nil {
		return s.got(s.leader.get(ctx, wanted{LastFor: subject}))
	}
	return s.got(s.Stream.GetLastMsgForSubject(ctx, subject))
}

// Before returns the last message on a subject before a sequence, nil if there is
// none. The broker has no such request, so the range searched is doubled until it
// holds one.
func (s *Store) Before(ctx context.Context, subject string, sequence uint64) (*Message, error) {
	for stretch := uint64(64); ; stretch *= 2 {
		from := uint64(1)
		if sequence > stretch {
			from = sequence - stretch
		}
		var found *Message
		for at := from; ; at = found.Sequence + 1 {
			m, err := s.Next(ctx, subject, at)
			if err != nil {
				return nil, err
			}
			if m == nil || m.Sequence >= sequence {
				break
			}
			found = m
		}
		if found != nil || from == 1 {
			return found, nil
		}
	}
}

func (s *Store) got(raw *jetstream.RawStreamMsg, err error) (*Message, error) {
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", s.name, err)
	}
	return &Message{Subject: raw.Subject, Header: raw.Header, Data: raw.Data, Sequence: raw.Sequence, Time: raw.Time}, nil
}
