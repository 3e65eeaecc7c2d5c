package client

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// ErrClosed is returned by a [Publisher] after Close.
var ErrClosed = errors.New("publisher is closed")

// Publisher sends events into INPUT. It is safe for concurrent use. Events keep their
// order only if the calls are made one after the other, so publish the turns of one
// session from one goroutine.
type Publisher struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	options PublisherOptions
	slots   chan struct{} // back-pressure: one token per call in flight
	spool   *spool        // nil without a spool

	stop    context.CancelFunc
	stopped <-chan struct{}
	drain   drainer
	workers sync.WaitGroup
	counts  counters
}

// Receipt says what became of a published event.
type Receipt struct {
	ID        string // of the event
	Sequence  uint64 // in INPUT; 0 when spooled
	Shortened int    // tool outputs that were cut to fit (EV-3)
	Spooled   bool   // kept on disk, sent in order later

	// Duplicate is always false.
	//
	// Deprecated: INPUT stores an event as often as it is sent, because a stream that
	// remembers ids can be made to drop the events of others. Sending an event twice is
	// still safe: ingest uses the first.
	Duplicate bool
}

// NewPublisher returns a publisher on an open connection, which the caller keeps and
// closes. It fails if Source is empty or the spool's folder cannot be used.
func NewPublisher(conn *nats.Conn, options PublisherOptions) (*Publisher, error) {
	if options.Source == "" {
		return nil, errors.New("publisher requires a Source, such as /harness/my-agent")
	}
	options = options.withDefaults()
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &Publisher{conn: conn, js: js, options: options, slots: make(chan struct{}, options.MaxInFlight), stop: stop, stopped: ctx.Done()}
	if options.Spool == nil {
		return p, nil
	}
	if p.spool, err = openSpool(*options.Spool, options.Now); err != nil {
		stop()
		return nil, err
	}
	p.drain = newDrainer()
	p.workers.Go(func() { p.drainInBackground(ctx) })
	return p, nil
}

// Turn publishes one turn of a session. Oversized tool output is shortened
// first (EV-3); a turn that is still too large is refused.
func (p *Publisher) Turn(ctx context.Context, turn sessionevents.Turn) (Receipt, error) {
	limit, err := p.dataLimit()
	if err != nil {
		return Receipt{}, err
	}
	turn, shortened, err := ShortenTurn(turn, limit)
	if err != nil {
		return Receipt{}, fmt.Errorf("shorten turn %s of session %s: %w", turn.TurnID, turn.Session, err)
	}
	receipt, err := p.Event(ctx, aboutSession(sessionevents.TypeTurnRaw, turn.Session, turn.Run, &turn))
	receipt.Shortened = shortened
	return receipt, err
}

// OpenSession publishes the description of a session, before its first turn.
func (p *Publisher) OpenSession(ctx context.Context, opened sessionevents.SessionOpened) (Receipt, error) {
	return p.Event(ctx, aboutSession(sessionevents.TypeSessionOpened, opened.Session, opened.Run, &opened))
}

// CloseSession ends a session; run is empty for a session without one.
func (p *Publisher) CloseSession(ctx context.Context, run string, closed sessionevents.SessionClosed) (Receipt, error) {
	return p.Event(ctx, aboutSession(sessionevents.TypeSessionClosed, closed.Session, run, &closed))
}

// Delivery reports whether an interrupt was delivered (DP-21); run is empty for a session
// without one. [Interrupt.Delivery] returns the data.
func (p *Publisher) Delivery(ctx context.Context, run string, delivery sessionevents.InterruptDelivery) (Receipt, error) {
	return p.Event(ctx, aboutSession(sessionevents.TypeInterruptDelivery, delivery.Session, run, &delivery))
}

func aboutSession(t events.Type, session, run string, data any) events.Event {
	return events.Event{Type: t, Subject: session, PartitionKey: run, Correlation: run, Data: data}
}

// Event publishes any input event, such as a run event, whose Subject is the
// run. Empty Source, ID, Time and PartitionKey are filled in. A generated ID
// is a function of type, subject, turn id and data (EV-2), so distinct events
// with the same content need IDs of their own.
//
// The error is an [*invalid.Error] if the event would be refused,
// [ErrClosed], a [*ShedError] if the spool is full, or wraps what kept the
// event from JetStream until ctx ended.
func (p *Publisher) Event(ctx context.Context, e events.Event) (Receipt, error) {
	e, err := p.complete(e)
	if err != nil {
		return Receipt{}, err
	}
	if p.isClosed() {
		return Receipt{ID: e.ID}, ErrClosed
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return Receipt{ID: e.ID}, fmt.Errorf("wait for one of %d calls in flight: %w", p.options.MaxInFlight, context.Cause(ctx))
	case <-p.stopped:
		return Receipt{ID: e.ID}, ErrClosed
	}
	if p.spool != nil {
		return p.sendOrSpool(ctx, e)
	}
	return p.sendUntilDone(ctx, e)
}

func (p *Publisher) isClosed() bool {
	select {
	case <-p.stopped:
		return true
	default:
		return false
	}
}

// complete fills in the envelope and validates the event as the receiver will (EV-3).
func (p *Publisher) complete(e events.Event) (events.Event, error) {
	if e.Source == "" {
		e.Source = p.options.Source
	}
	if e.Time.IsZero() {
		e.Time = p.options.Now().UTC()
	}
	e.JoinRun()
	if e.PartitionKey == "" {
		e.PartitionKey = e.Subject
	}
	data, err := events.EncodeData(e)
	if err != nil {
		return e, err
	}
	if e.ID == "" {
		e.ID = events.InputID(e.Type, e.Subject, turnID(e), data)
	}
	limit, err := p.dataLimit()
	if err != nil {
		return e, err
	}
	return e, events.Validate(e, events.Limits{Data: limit, Depth: p.options.Limits.Depth})
}

func turnID(e events.Event) string {
	if turn, ok := e.Data.(*sessionevents.Turn); ok {
		return turn.TurnID
	}
	return ""
}

// headerRoom is the part of the server's payload limit reserved for the ce-* headers.
const headerRoom = 8 << 10

// dataLimit returns the largest data, in bytes, that both the contract and the server
// accept.
func (p *Publisher) dataLimit() (int, error) {
	limit := p.options.Limits.Data
	server := int(p.conn.MaxPayload()) // 0 before the first connection
	if server == 0 {
		return limit, nil
	}
	if server <= headerRoom {
		return 0, fmt.Errorf("the server's max_payload of %d bytes is too small, set it to 8 MB", server)
	}
	return min(limit, server-headerRoom), nil
}

// Close stops the publisher. Spooled events stay on disk for the next publisher; call
// Flush first to wait for them. The connection stays open.
func (p *Publisher) Close() error {
	p.stop()
	p.workers.Wait()
	return nil
}
