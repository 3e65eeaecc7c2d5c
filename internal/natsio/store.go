package natsio

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// message is one stored message, however it was read.
type message struct {
	Subject  string
	Header   nats.Header
	Data     []byte
	Sequence uint64
	Time     time.Time
	Pending  uint64
}

func (m message) hash() [32]byte { return messageHash(m.Subject, m.Header, m.Data) }

// store reads single messages of one stream.
type store struct {
	stream jetstream.Stream
	name   string
}

func (b *Broker) store(ctx context.Context, name events.Stream) (*store, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.stores[name]; known != nil {
		return known, nil
	}
	stream, err := b.js.Stream(ctx, string(name))
	if err != nil {
		return nil, fmt.Errorf("look up stream %s: %w", name, err)
	}
	b.stores[name] = &store{stream: stream, name: string(name)}
	return b.stores[name], nil
}

// state is the stream's present one.
func (s *store) state(ctx context.Context) (jetstream.StreamState, error) {
	info, err := s.stream.Info(ctx)
	if err != nil {
		return jetstream.StreamState{}, fmt.Errorf("look up stream %s: %w", s.name, err)
	}
	return info.State, nil
}

// at, next and last return nil when there is no such message: the one at a
// sequence, the first on a subject from a sequence on, the last on a subject.
func (s *store) at(ctx context.Context, sequence uint64) (*message, error) {
	return s.got(s.stream.GetMsg(ctx, sequence))
}

func (s *store) next(ctx context.Context, subject string, from uint64) (*message, error) {
	return s.got(s.stream.GetMsg(ctx, max(from, 1), jetstream.WithGetMsgSubject(subject)))
}

func (s *store) last(ctx context.Context, subject string) (*message, error) {
	return s.got(s.stream.GetLastMsgForSubject(ctx, subject))
}

// before is the last message on a subject below a sequence. The broker has no
// such question, so the stretch before it is doubled until it holds one.
func (s *store) before(ctx context.Context, subject string, sequence uint64) (*message, error) {
	for stretch := uint64(64); ; stretch *= 2 {
		from := uint64(1)
		if sequence > stretch {
			from = sequence - stretch
		}
		var found *message
		for at := from; ; at = found.Sequence + 1 {
			m, err := s.next(ctx, subject, at)
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

func (s *store) got(raw *jetstream.RawStreamMsg, err error) (*message, error) {
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", s.name, err)
	}
	return &message{Subject: raw.Subject, Header: raw.Header, Data: raw.Data, Sequence: raw.Sequence, Time: raw.Time}, nil
}
