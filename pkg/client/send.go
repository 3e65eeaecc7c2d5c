package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

var errUnreachable = errors.New("not connected to NATS")

// sendUntilDone retries until the event is acknowledged or permanently refused, or ctx
// ends.
func (p *Publisher) sendUntilDone(ctx context.Context, e events.Event) (Receipt, error) {
	pause := p.options.BackoffMin
	for {
		receipt, err := p.sendOnce(ctx, e)
		if err == nil || permanent(err) {
			return receipt, err
		}
		p.counts.retries.Add(1)
		select {
		case <-ctx.Done():
			return receipt, fmt.Errorf("publish %s %s: %w (last attempt: %w)", e.Type, e.ID, context.Cause(ctx), err)
		case <-p.stopped:
			return receipt, fmt.Errorf("publish %s %s: %w (last attempt: %w)", e.Type, e.ID, ErrClosed, err)
		case <-time.After(pause):
		}
		pause = min(2*pause, p.options.BackoffMax)
	}
}

// sendOnce makes one attempt and waits for the acknowledgement of INPUT.
func (p *Publisher) sendOnce(ctx context.Context, e events.Event) (Receipt, error) {
	receipt := Receipt{ID: e.ID}
	msg, err := message(e)
	if err != nil {
		return receipt, err
	}
	if p.conn.IsClosed() {
		return receipt, fmt.Errorf("publish %s: %w", msg.Subject, nats.ErrConnectionClosed)
	}
	if !p.conn.IsConnected() {
		return receipt, errUnreachable // the client would buffer it and send it later, out of order
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.AttemptTimeout)
	defer cancel()
	ack, err := p.js.PublishMsg(ctx, msg, jetstream.WithRetryAttempts(0))
	if err != nil {
		return receipt, fmt.Errorf("publish %s: %w", msg.Subject, p.explain(msg.Subject, err))
	}
	if ack.Stream != string(events.StreamInput) && !strings.HasPrefix(ack.Stream, intakePrefix) {
		return receipt, &strayError{Subject: msg.Subject, Stream: ack.Stream}
	}
	if ack.Duplicate {
		return receipt, &swallowedError{Subject: msg.Subject, Event: e.ID, Stream: ack.Stream, Sequence: ack.Sequence}
	}
	p.counts.published.Add(1)
	receipt.Sequence = ack.Sequence
	return receipt, nil
}

// message returns the message to send. It has no Nats-Msg-Id: the broker would
// acknowledge it without storing it if another client had sent that id before. Ingest
// recognizes repeated events instead (EV-2, SW-1a).
func message(e events.Event) (*nats.Msg, error) {
	subject, err := subjects.PublishedSubject(e)
	if err != nil {
		return nil, err
	}
	header, data, err := events.EncodeBinary(e)
	if err != nil {
		return nil, err
	}
	return &nats.Msg{Subject: subject, Header: header, Data: data}, nil
}

// explain replaces a timeout by the permission violation that caused it, which the server
// reports separately from the request.
func (p *Publisher) explain(subject string, err error) error {
	last := p.conn.LastError()
	if errors.Is(err, context.DeadlineExceeded) && errors.Is(last, nats.ErrPermissionViolation) && strings.Contains(last.Error(), `"`+subject+`"`) {
		return last
	}
	return err
}

// intakePrefix begins the names of the streams from which INPUT copies the events of an
// account's publishers, where an operator bounds those.
const intakePrefix = "INTAKE_"

// strayError reports an acknowledgement from a stream that nobody reads.
type strayError struct{ Subject, Stream string }

// Error names the stream.
func (e *strayError) Error() string {
	return fmt.Sprintf("publish %s: stored in the stream %s, not in INPUT", e.Subject, e.Stream)
}

// swallowedError reports an acknowledgement although another message was stored instead.
type swallowedError struct {
	Subject, Event, Stream string
	Sequence               uint64
}

// Error names what to check.
func (e *swallowedError) Error() string {
	return fmt.Sprintf("publish %s: event %s is not stored: it was sent without a message id, and yet acknowledged as a duplicate of message %d in %s; "+
		"somebody answers in the broker's place, or changed the message on its way", e.Subject, e.Event, e.Sequence, e.Stream)
}

// duplicateInProcess is the server's answer while it is still storing a message with the
// same id; a moment later it acknowledges the duplicate.
const duplicateInProcess jetstream.ErrorCode = 10158

// permanent reports whether another attempt would fail the same way.
func permanent(err error) bool {
	var refused *invalid.Error
	var api *jetstream.APIError
	var stray *strayError
	var swallowed *swallowedError
	switch {
	case errors.As(err, &refused), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrMaxPayload),
		errors.Is(err, nats.ErrPermissionViolation), errors.Is(err, nats.ErrHeadersNotSupported), errors.As(err, &stray), errors.As(err, &swallowed):
		return true
	case errors.As(err, &api):
		return api.ErrorCode != duplicateInProcess && api.Code >= 400 && api.Code < 500
	}
	return false
}
