package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

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
