package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// DefaultPatience is how long to wait for a verdict unless the context ends earlier.
const DefaultPatience = 10 * time.Second

// ErrNoVerdict reports that an event was published but its verdict did not arrive in
// time. The verdict may still arrive; do not treat silence as consent.
var ErrNoVerdict = errors.New("no verdict")

// RunOptions configure [OpenRun] and [NewRuns]. Only Source is required.
type RunOptions struct {
	// Source is the CloudEvents source of what is published, such as
	// "/orchestrators/nightly"; see [PublisherOptions].
	Source string
	// Actor is the default actor of events; an empty kind means orchestrator (human on events that
	// only an operator may send, infra on facts).
	Actor runevents.Actor
	// Patience bounds the wait for a verdict, DefaultPatience by default.
	Patience time.Duration
	// TrustedKeys and RevokedKeys are the dispatcher's; see [SubscriberOptions].
	TrustedKeys []string
	RevokedKeys map[string]time.Time
}

// Run publishes the events of one run and receives the decisions about them. It is safe
// for concurrent use; events whose order matters must be published one after the other.
type Run struct {
	id        string
	publisher *Publisher
	desk      *desk
	options   RunOptions
	close     func() error
}

// OpenRun returns a run on an open connection, which the caller keeps and closes. It does
// not wait for the broker; the first call does.
func OpenRun(conn *nats.Conn, id string, options RunOptions) (*Run, error) {
	if !events.ValidID(id) {
		return nil, (Filter{Run: id}).check()
	}
	runs, err := open(conn, Filter{Run: id}, options)
	if err != nil {
		return nil, err
	}
	run, err := runs.Run(id)
	if err != nil {
		return nil, errors.Join(err, runs.Close())
	}
	run.close = runs.Close
	return run, nil
}

// Runs lets several runs share one publisher and one consumer of the decisions about the
// whole fleet.
type Runs struct {
	publisher *Publisher
	desk      *desk
	options   RunOptions
}

// NewRuns is [OpenRun] for an orchestrator with many runs.
func NewRuns(conn *nats.Conn, options RunOptions) (*Runs, error) {
	return open(conn, Filter{}, options)
}

func open(conn *nats.Conn, about Filter, options RunOptions) (*Runs, error) {
	if options.Patience <= 0 {
		options.Patience = DefaultPatience
	}
	publisher, err := NewPublisher(conn, PublisherOptions{Source: options.Source})
	if err != nil {
		return nil, err
	}
	subscriber, err := NewSubscriber(conn, SubscriberOptions{TrustedKeys: options.TrustedKeys, RevokedKeys: options.RevokedKeys})
	if err != nil {
		return nil, errors.Join(err, publisher.Close())
	}
	return &Runs{publisher: publisher, desk: newDesk(subscriber, about), options: options}, nil
}

// Run returns the run with this id. It need not be closed.
func (r *Runs) Run(id string) (*Run, error) {
	if !events.ValidID(id) {
		return nil, (Filter{Run: id}).check()
	}
	return &Run{id: id, publisher: r.publisher, desk: r.desk, options: r.options, close: func() error { return nil }}, nil
}

// Close closes all runs; the connection stays open.
func (r *Runs) Close() error {
	r.desk.close()
	return r.publisher.Close()
}

// ID returns the id of the run.
func (r *Run) ID() string { return r.id }

// Close releases what OpenRun started; the connection stays open.
func (r *Run) Close() error { return r.close() }

// Tell publishes a fact about the run without waiting for the verdict. Data is the Go
// type of a run event, such as events.TaskCompleted, or a pointer to one. Each call is a
// new event; use [Run.DoEvent] for events that may be repeated.
func (r *Run) Tell(ctx context.Context, data any) (Receipt, error) {
	e, err := r.event(data)
	if err != nil {
		return Receipt{}, err
	}
	return r.publisher.Event(ctx, e)
}

// Do publishes a fact about the run and waits for the decisions about it, up to
// run.evaluated, which is the last of them. Data is as in [Run.Tell]. Facts of
// infrastructure and acts of an operator need a connection with that role (EV-10).
//
// An error leaves the outcome unknown: do not take it for permission.
// It wraps ErrNoVerdict if the event was published.
func (r *Run) Do(ctx context.Context, data any) (Verdict, error) {
	e, err := r.event(data)
	if err != nil {
		return Verdict{}, err
	}
	return r.do(ctx, e, false)
}

// TellEvent is Tell for an event with its own envelope; see [Run.DoEvent].
func (r *Run) TellEvent(ctx context.Context, e events.Event) (Receipt, error) {
	e, _, err := r.envelope(e)
	if err != nil {
		return Receipt{}, err
	}
	return r.publisher.Event(ctx, e)
}

// DoEvent is Do for a run event, or an operator.act, with its own envelope. An empty
// Subject means the run; it may name a session of the run. An event sent again with the
// same ID is the same event and gets the same verdict, so a caller may ask again after a
// crash.
func (r *Run) DoEvent(ctx context.Context, e events.Event) (Verdict, error) {
	e, own, err := r.envelope(e)
	if err != nil {
		return Verdict{}, err
	}
	return r.do(ctx, e, own)
}

// envelope fills in the envelope of an event of the run; own reports whether the event
// already had an id.
func (r *Run) envelope(e events.Event) (out events.Event, own bool, err error) {
	if d, ok := events.Lookup(e.Type); !ok || !d.RunEvent && e.Type != runevents.TypeOperatorAct {
		return e, false, fmt.Errorf("%q is not a run event; docs/events.md lists them", e.Type)
	}
	if e.Subject == "" {
		e.Subject = r.id
	}
	e.PartitionKey, e.Correlation = r.id, r.id
	own = e.ID != ""
	if !own {
		e.ID = newID()
	}
	return e, own, nil
}

func (r *Run) do(ctx context.Context, e events.Event, repeated bool) (Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Patience)
	defer cancel()
	w, err := r.desk.wait(ctx, r.id, e.ID)
	if err != nil {
		return Verdict{}, fmt.Errorf("%s %s was not published: %w", e.Type, e.ID, err)
	}
	defer w.leave()
	if _, err := r.publisher.Event(ctx, e); err != nil {
		return Verdict{}, err
	}
	if repeated {
		return r.desk.recall(ctx, r.id, e)
	}
	select {
	case v := <-w.verdict:
		return v, v.failure()
	case <-ctx.Done():
		return Verdict{}, r.desk.silence(ctx, e, r.options.Patience)
	}
}

// runTypes maps the Go type of a run event's data to its descriptor.
var runTypes = func() map[reflect.Type]events.Descriptor {
	out := map[reflect.Type]events.Descriptor{}
	for _, d := range events.All() {
		if d.RunEvent {
			out[reflect.TypeOf(d.New()).Elem()] = d
		}
	}
	return out
}()

// event returns an event with a copy of the data and a new id: a task that fails twice in
// the same way has failed twice.
func (r *Run) event(data any) (events.Event, error) {
	v := reflect.Indirect(reflect.ValueOf(data))
	if !v.IsValid() {
		return events.Event{}, errors.New("nil is not a run event; pass data such as events.TaskCompleted")
	}
	d, ok := runTypes[v.Type()]
	if !ok {
		return events.Event{}, fmt.Errorf("%s is not the data of a run event, as events.TaskCompleted is", v.Type())
	}
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	actor := copied.Elem().FieldByName("Actor").Addr().Interface().(*runevents.Actor)
	if actor.Kind == "" {
		*actor = r.actor(d.Role, *actor)
	}
	return events.Event{ID: newID(), Type: d.Type, Subject: r.id, PartitionKey: r.id, Correlation: r.id, Data: copied.Interface()}, nil
}

// actor returns the actor of an event, with a default where the event does not name one.
func (r *Run) actor(role events.Role, given runevents.Actor) runevents.Actor {
	actor := r.options.Actor
	if given.ID != "" {
		actor.ID = given.ID
	}
	return events.ActorFor(actor, role)
}

// newID returns a random id.
func newID() string { return strings.ToLower(rand.Text()) }

// recall finds the verdict about an event that may have been published before: it reads
// the run's verdicts from the beginning and continues until ctx ends.
func (d *desk) recall(ctx context.Context, run string, e events.Event) (Verdict, error) {
	about := Filter{Run: run}
	closings := []string{subjects.RunFilter(runevents.TypeRunEvaluated, run)}
	for m, err := range d.subscriber.follow(ctx, about, closings, Start{All: true}) {
		if err != nil {
			return Verdict{}, err
		}
		closed, ok := m.event.Data.(*runevents.RunEvaluated)
		if !ok || closed.Event != e.ID {
			continue
		}
		heard, err := d.decided(ctx, about, closed, m.sequence)
		if err != nil {
			return Verdict{}, err
		}
		v := newVerdict(closed, heard)
		return v, v.failure()
	}
	return Verdict{}, fmt.Errorf("%w about %s %s, which was published: %w", ErrNoVerdict, e.Type, e.ID, context.Cause(ctx))
}

// decided reads the decisions that a closing event lists; all of them precede it.
func (d *desk) decided(ctx context.Context, about Filter, closed *runevents.RunEvaluated, before uint64) ([]events.Event, error) {
	if len(closed.Decisions) == 0 {
		return nil, nil
	}
	var subjects []string
	for _, t := range verdictTypes {
		subjects = append(subjects, about.subjects(t)...)
	}
	var found []events.Event
	for m, err := range d.subscriber.follow(ctx, about, subjects, Start{All: true}) {
		if err != nil {
			return nil, err
		}
		if slices.Contains(closed.Decisions, m.event.ID) {
			found = append(found, m.event)
		}
		if m.sequence >= before {
			return found, nil
		}
	}
	return nil, fmt.Errorf("%w: %w", ErrNoVerdict, context.Cause(ctx))
}
