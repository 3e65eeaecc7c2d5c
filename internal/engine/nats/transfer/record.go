package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats-server/v2/server/archive"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
)

// Record is a stored message as the broker archives it.
type Record struct {
	Subject  string
	Header   []byte // as stored, nil without headers
	Data     []byte
	Sequence uint64
	Time     time.Time
}

// Message returns the message in the form in which it is checked.
func (r Record) Message() (proof.Message, error) {
	m := proof.Message{Subject: r.Subject, Data: r.Data, Sequence: r.Sequence, Time: r.Time}
	if len(r.Header) == 0 {
		return m, nil
	}
	header, err := nats.DecodeHeadersMsg(r.Header)
	if err != nil {
		return m, fmt.Errorf("read the headers of message %d: %w", r.Sequence, err)
	}
	m.Header = header
	return m, nil
}

// Size returns about how many bytes the message has.
func (r Record) Size() int { return len(r.Subject) + len(r.Header) + len(r.Data) + 30 }

// RecordWriter writes records in the form of the broker's archives, for [ReadRecords].
type RecordWriter struct{ w *archive.Writer }

// NewRecordWriter returns a writer of records.
func NewRecordWriter(w io.Writer) *RecordWriter { return &RecordWriter{archive.NewWriter(w)} }

// Add appends a record.
func (w *RecordWriter) Add(r Record) error { return r.writeTo(w.w) }

// End writes the end mark.
func (w *RecordWriter) End() error { return w.w.WriteHeader(&archive.Header{}) }

func (r Record) writeTo(w *archive.Writer) error {
	err := w.WriteHeader(&archive.Header{
		Name: r.Subject, Timestamp: r.Time.UnixNano(), Sequence: r.Sequence, HeaderSize: int64(len(r.Header)), PayloadSize: int64(len(r.Data)),
	})
	for _, part := range [][]byte{r.Header, r.Data} {
		if err == nil && len(part) > 0 {
			_, err = w.Write(part)
		}
	}
	return err
}

// apiError is the error in an answer of the broker.
type apiError struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) Error() string {
	return fmt.Sprintf("the broker refuses: %s (%d)", e.Description, e.ErrCode)
}

// apiPatience is how long the broker may take to answer one request.
const apiPatience = 30 * time.Second

// leaderPause is how long one attempt of a request waits: a request that arrives while a stream
// of a cluster has no leader is never answered.
const leaderPause = 2 * time.Second

// errNoQuorum is the error of a question that was answered by a server which does not hear the majority.
var errNoQuorum = errors.New("no quorum")

// untilLed repeats a request that changes nothing until a leader that has a quorum answers.
func untilLed(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, apiPatience)
	defer cancel()
	for {
		try, end := context.WithTimeout(ctx, leaderPause)
		err := leaderless(question(try))
		if errors.Is(err, errNoQuorum) {
			<-try.Done()
		}
		end()
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, errNoQuorum) || ctx.Err() != nil {
			return err
		}
	}
}

// noJetStream is the broker's error code where the cluster's own group has no leader.
const noJetStream = 10008

// leaderless returns an error that says that JetStream is unavailable as errNoQuorum, others as they are.
func leaderless(err error) error {
	var answered *apiError
	var refused *jetstream.APIError
	if errors.As(err, &answered) && answered.ErrCode == noJetStream || errors.As(err, &refused) && refused.ErrorCode == noJetStream {
		return fmt.Errorf("%w: %w", errNoQuorum, err)
	}
	return err
}

// ask sends a request of the JetStream API that the client library has no call for.
func ask(ctx context.Context, b *natsengine.Broker, subject string, request, answer any) error {
	data, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, apiPatience)
	defer cancel()
	m, err := b.Conn().RequestWithContext(ctx, "$JS.API."+subject, data)
	if errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%s: no JetStream answers: %w", subject, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: no answer (a cluster without a leader or quorum, or a user who is not the administrator): %w", subject, err)
	}
	if err != nil {
		return fmt.Errorf("%s (it takes the administrator's user): %w", subject, err)
	}
	return decodeAnswer(m.Data, answer)
}

// decodeAnswer decodes the answer of the broker. It returns the error in it, if there is one.
func decodeAnswer(data []byte, answer any) error {
	var failed struct {
		Error *apiError `json:"error"`
	}
	if err := json.Unmarshal(data, &failed); err != nil {
		return fmt.Errorf("read the broker's answer: %w", err)
	}
	if failed.Error != nil {
		return failed.Error
	}
	if answer == nil {
		return nil
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("read the broker's answer: %w", err)
	}
	return nil
}

// record returns the first message from a sequence on as it is stored, nil if there is
// none. The client library gives headers only decoded.
func record(ctx context.Context, b *natsengine.Broker, stream string, from uint64) (*Record, error) {
	request := map[string]any{"seq": from, "next_by_subj": ">"}
	var answer struct {
		Message struct {
			Subject  string    `json:"subject"`
			Sequence uint64    `json:"seq"`
			Header   []byte    `json:"hdrs"`
			Data     []byte    `json:"data"`
			Time     time.Time `json:"time"`
		} `json:"message"`
	}
	err := untilLed(ctx, func(ctx context.Context) error { return ask(ctx, b, "STREAM.MSG.GET."+stream, request, &answer) })
	if refused := (*apiError)(nil); errors.As(err, &refused) && refused.ErrCode == int(jetstream.JSErrCodeMessageNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read message %d of %s: %w", from, stream, err)
	}
	m := answer.Message
	return &Record{Subject: m.Subject, Header: m.Header, Data: m.Data, Sequence: m.Sequence, Time: m.Time}, nil
}
