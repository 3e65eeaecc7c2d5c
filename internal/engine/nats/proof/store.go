package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
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

// Stream describes a stream as the broker, a backup or a bundle holds it, for an audit (AU-1).
type Stream struct {
	Name    events.Stream `json:"name"`
	Missing bool          `json:"missing,omitempty"`
	Created time.Time     `json:"created"`
	First   uint64        `json:"first"` // first sequence kept
	Last    uint64        `json:"last"`  // last sequence ever assigned
	Kept    uint64        `json:"kept"`  // number of messages
	// MaxAge is the age at which messages are removed, 0 for never.
	MaxAge time.Duration `json:"max_age,omitempty"`
	// MaxBytes is the size at which the oldest messages are removed, or new ones rejected; 0 for no limit.
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// Now is the broker's time.
	Now time.Time `json:"now"`
}

// CanAge reports whether the oldest messages can have expired. If not, those missing at the beginning were
// replaced or erased.
func (s Stream) CanAge() bool { return s.MaxAge > 0 && s.Created.Before(s.Now.Add(-s.MaxAge)) }

// NewCurrentStore reads single messages of a stream from its leader alone. The client library asks
// any replica for those of a key-value bucket, and one that lags would say that a key which was
// just written is not there. Other streams say themselves that only the leader may answer.
func NewCurrentStore(stream jetstream.Stream, js jetstream.JetStream) *Store {
	s := NewStore(stream)
	if c := stream.CachedInfo().Config; c.AllowDirect && c.Replicas > 1 {
		s.leader = &leader{
			conn: js.Conn(), subject: jetstream.DefaultAPIPrefix + "STREAM.MSG.GET." + c.Name,
			patience: js.Options().DefaultTimeout,
		}
	}
	return s
}

// leader asks the leader of a stream for single messages.
type leader struct {
	conn     *nats.Conn
	subject  string
	patience time.Duration
}

// wanted is a request of the broker's API for a message.
type wanted struct {
	Seq     uint64 `json:"seq,omitempty"`
	LastFor string `json:"last_by_subj,omitempty"`
	NextFor string `json:"next_by_subj,omitempty"`
}

// get returns [jetstream.ErrMsgNotFound] where the leader has no such message.
func (l *leader) get(ctx context.Context, what wanted) (*jetstream.RawStreamMsg, error) {
	request, err := json.Marshal(what)
	if err != nil {
		return nil, fmt.Errorf("ask for a message: %w", err)
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.patience)
		defer cancel()
	}
	reply, err := l.conn.RequestWithContext(ctx, l.subject, request)
	if err != nil {
		return nil, fmt.Errorf("ask the leader for a message: %w", err)
	}
	var answer struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Subject  string    `json:"subject"`
			Sequence uint64    `json:"seq"`
			Header   []byte    `json:"hdrs"`
			Data     []byte    `json:"data"`
			Time     time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return nil, fmt.Errorf("read the leader's answer: %w", err)
	}
	m := answer.Message
	switch {
	case answer.Error != nil && answer.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return nil, jetstream.ErrMsgNotFound
	case answer.Error != nil:
		return nil, answer.Error
	case m == nil:
		return nil, jetstream.ErrInvalidJetStreamResponse
	}
	got := &jetstream.RawStreamMsg{Subject: m.Subject, Sequence: m.Sequence, Data: m.Data, Time: m.Time}
	if len(m.Header) > 0 {
		if got.Header, err = nats.DecodeHeadersMsg(m.Header); err != nil {
			return nil, fmt.Errorf("read the headers of message %d: %w", m.Sequence, err)
		}
	}
	return got, nil
}
