package gates

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"golang.org/x/sync/errgroup"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Name and Subject of the service; its version is that of question and answer.
const (
	Name    = "scaffoldwatch-gates"
	Subject = "gate.request"
	version = "1.0.0"
)

const (
	source = "/scaffoldwatch/gates"
	// patience is how long to wait for an answer; a requester's own timeout should be longer.
	patience = 2 * time.Second
	// maxWaiting limits the pending questions; further ones are denied at once.
	maxWaiting = 512
	// retryPause is the pause between attempts to read DECISIONS.
	retryPause = 500 * time.Millisecond
)

// Options configure the service.
type Options struct {
	Conn   *natsengine.Conn
	Broker *natsengine.Broker
	Log    *slog.Logger
	// Patience is how long to wait for an answer; the default is 2 s.
	Patience time.Duration
	// Ready, if set, is called once questions are accepted.
	Ready func()
}

// service is the running service.
type service struct {
	Options
	publisher *client.Publisher
	desk      *desk
	counts    counts

	taking   sync.Mutex // held while a request is accepted
	ended    bool
	requests errgroup.Group
}

// Run answers requests until ctx ends. It returns an error if it cannot start.
func Run(ctx context.Context, o Options) error {
	if o.Patience <= 0 {
		o.Patience = patience
	}
	publisher, err := client.NewPublisher(o.Conn, client.PublisherOptions{Source: source, MaxInFlight: maxWaiting})
	if err != nil {
		return fmt.Errorf("gate service: %w", err)
	}
	s := &service{Options: o, publisher: publisher, desk: newDesk()}
	s.requests.SetLimit(maxWaiting)
	reader, err := s.open(ctx, read.Options{Latest: true})
	if err != nil {
		return errors.Join(fmt.Errorf("gate service: %w", err), publisher.Close())
	}
	answering, err := s.listen(ctx)
	if err != nil {
		reader.Close()
		return errors.Join(fmt.Errorf("gate service: %w", err), publisher.Close())
	}
	if o.Ready != nil {
		o.Ready()
	}
	s.read(ctx, reader)
	err = answering.Stop()
	s.end()
	return errors.Join(err, publisher.Close())
}

// end waits for the accepted requests; later ones are for another instance, or get no answer.
func (s *service) end() {
	s.taking.Lock()
	s.ended = true
	s.taking.Unlock()
	_ = s.requests.Wait() // requests report their own errors
}

// listen registers the service: endpoints, $SRV.PING, INFO and STATS.
func (s *service) listen(ctx context.Context) (micro.Service, error) {
	m, err := micro.AddService(s.Conn, micro.Config{
		Name: Name, Version: version, Description: "answers scaffoldwatch's gates",
		StatsHandler: func(*micro.Endpoint) any { return s.counts.now() },
	})
	if err != nil {
		return nil, fmt.Errorf("add the service %s: %w", Name, err)
	}
	handler := micro.HandlerFunc(func(r micro.Request) { s.handle(ctx, r) })
	for _, e := range []struct{ name, subject string }{{"gate-request", Subject}, {"gate-request-of-run", Subject + ".*"}} {
		if err := m.AddEndpoint(e.name, handler, micro.WithEndpointSubject(e.subject)); err != nil {
			return nil, errors.Join(fmt.Errorf("listen to %s: %w", e.subject, err), m.Stop())
		}
	}
	if err := s.Conn.FlushTimeout(s.Patience); err != nil { // only then does the server send us questions
		return nil, errors.Join(fmt.Errorf("subscribe: %w", err), m.Stop())
	}
	return m, nil
}

// handle accepts a request and lets it wait concurrently with others. The answer is sent on the connection:
// the framework reads what a request's own methods wrote as soon as handle returns, and the answer comes
// later.
func (s *service) handle(ctx context.Context, r micro.Request) {
	if !inbox(r.Reply()) {
		// A reply subject is not permission-checked: answers must not become a way to write elsewhere with
		// our permissions (EV-6).
		s.counts.ignored.Add(1)
		return
	}
	s.taking.Lock()
	defer s.taking.Unlock()
	subject, reply, data := r.Subject(), r.Reply(), r.Data()
	if !s.ended && !s.requests.TryGo(func() error { s.respond(s.answer(ctx, subject, reply, data)); return nil }) {
		s.respond(s.refusal(reply, "503", runevents.GateRequested{}, fmt.Errorf("%d questions are already pending", maxWaiting)))
	}
}

// inbox reports whether a reply subject cannot belong to a stream: an inbox, or what the server makes of
// one in another account.
func inbox(reply string) bool {
	return strings.HasPrefix(reply, "_INBOX") || strings.HasPrefix(reply, "_R_.")
}

func (s *service) answer(ctx context.Context, subject, reply string, data []byte) *nats.Msg {
	began := time.Now()
	q, err := readQuestion(subject, data)
	if err != nil {
		return s.refusal(reply, "400", q.GateRequested, err)
	}
	answer, err := s.ask(ctx, q)
	if err != nil {
		return s.refusal(reply, "504", q.GateRequested, err)
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return s.refusal(reply, "500", q.GateRequested, err)
	}
	s.counts.answered(*answer, time.Since(began))
	return &nats.Msg{Subject: reply, Data: body}
}

// ask publishes the question and waits for its answer.
func (s *service) ask(ctx context.Context, q Question) (*runevents.GateDecided, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	id := newID()
	w := s.desk.wait(id, q.Gate)
	defer s.desk.leave(id)
	if _, err := s.publisher.Event(ctx, q.event(id)); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("no answer about %s within %s; are ingest, evaluator and dispatcher running?", id, s.Patience)
	case <-w.closed:
	}
	switch {
	case w.failed != "":
		return nil, fmt.Errorf("the question could not be evaluated: %s", w.failed)
	case w.answer == nil:
		return nil, fmt.Errorf("no rule covers the gate %s of run %s", q.Gate, q.Run)
	}
	return w.answer, nil
}

// refusal returns a closed gate, with the error in the framework's headers.
func (s *service) refusal(reply, code string, asked runevents.GateRequested, cause error) *nats.Msg {
	s.counts.failed.Add(1)
	message := nats.NewMsg(reply)
	message.Header.Set(micro.ErrorHeader, oneLine(cause))
	message.Header.Set(micro.ErrorCodeHeader, code)
	if data, err := json.Marshal(client.Closed(asked, "", cause)); err == nil {
		message.Data = data
	}
	return message
}

// oneLine makes an error fit for a header.
func oneLine(err error) string { return text.Line(err.Error()) }

func (s *service) respond(answer *nats.Msg) {
	if err := s.Conn.PublishMsg(answer); err != nil {
		s.Log.Warn("a gate's answer could not be sent", "error", err)
	}
}

// Question is the content of a request: the data of gate.requested and the run, which the subject may name
// instead.
type Question struct {
	Run string `json:"run"`
	runevents.GateRequested
}

// readQuestion parses a request to gate.request or gate.request.<run>. With the run in the subject,
// permissions can restrict a user to its own runs (EV-10).
func readQuestion(subject string, data []byte) (Question, error) {
	var q Question
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields() // a misspelt field would ask something else
	if err := decoder.Decode(&q); err != nil {
		return q, fmt.Errorf(`read the question, such as {"run":"nightly","gate":"launch","wave":1}: %w`, err)
	}
	if run, ok := strings.CutPrefix(subject, Subject+"."); ok {
		if q.Run != "" && q.Run != run {
			return q, fmt.Errorf("the subject asks about run %s, the question about %s", run, q.Run)
		}
		q.Run = run
	}
	if q.Actor.Kind == "" {
		q.Actor.Kind = runevents.ActorOrchestrator
	}
	return q, events.Validate(q.event("question"), events.DefaultLimits())
}

// event returns the event that asks the question in INPUT.
func (q Question) event(id string) events.Event {
	return events.Event{ID: id, Source: source, Type: runevents.TypeGateRequested, Subject: q.Run, PartitionKey: q.Run, Data: &q.GateRequested}
}

// counts are the figures for $SRV.STATS in addition to the framework's own, which only cover the time until
// a request is accepted.
type counts struct {
	allowed, refused, failed, ignored atomic.Uint64
	nanoseconds                       atomic.Int64 // total over all answers
}

// Counts are the figures of the service in $SRV.STATS.
type Counts struct {
	Allowed uint64  `json:"allowed"`
	Refused uint64  `json:"refused"` // denied or held by a rule
	Failed  uint64  `json:"failed"`  // denied because there was no answer, or the request was invalid
	Ignored uint64  `json:"ignored"` // requests whose reply subject is not an inbox
	Average float64 `json:"average_ms"`
}

func (c *counts) answered(g runevents.GateDecided, took time.Duration) {
	if client.Allows(&g) {
		c.allowed.Add(1)
	} else {
		c.refused.Add(1)
	}
	c.nanoseconds.Add(int64(took))
}

func (c *counts) now() Counts {
	out := Counts{Allowed: c.allowed.Load(), Refused: c.refused.Load(), Failed: c.failed.Load(), Ignored: c.ignored.Load()}
	if n := out.Allowed + out.Refused; n > 0 {
		out.Average = float64(c.nanoseconds.Load()) / float64(n) / 1e6
	}
	return out
}

func newID() string { return strings.ToLower(rand.Text()) }

// desk passes decisions to those who wait for them.
type desk struct {
	mu      sync.Mutex
	waiting map[string]*waiter // by the id of the requesting event
}

// waiter waits for the answer of one gate.
type waiter struct {
	gate   runevents.Gate
	answer *runevents.GateDecided
	failed string
	closed chan struct{} // closed once everything about the event is decided
}

func newDesk() *desk { return &desk{waiting: map[string]*waiter{}} }

func (d *desk) wait(id string, gate runevents.Gate) *waiter {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := &waiter{gate: gate, closed: make(chan struct{})}
	d.waiting[id] = w
	return w
}

func (d *desk) leave(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.waiting, id)
}

// take handles one decision.
func (d *desk) take(e events.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch data := e.Data.(type) {
	case *runevents.GateDecided:
		w := d.waiting[data.Asked]
		if w == nil || w.gate != data.Gate {
			return
		}
		if w.answer == nil || client.Allows(w.answer) && !client.Allows(data) { // the strictest of several
			w.answer = data
		}
	case *runevents.RunEvaluated:
		if w := d.waiting[data.Event]; w != nil {
			w.failed = data.Failed
			close(w.closed)
			delete(d.waiting, data.Event)
		}
	}
}
