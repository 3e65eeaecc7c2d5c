package gates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"golang.org/x/sync/errgroup"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
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
