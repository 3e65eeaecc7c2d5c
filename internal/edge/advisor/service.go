// Package advisor is the service that asks a model for second opinions and records the answers (AD-1). It
// reads what was said and decided, decides nothing, and nothing waits for it.
package advisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/vitals"
	"github.com/scaffoldwatch/scaffoldwatch/internal/obs"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Name is the service's name.
const Name = "advisor"

// Open opens the configured model. Only programs that pass it link the providers' clients.
type Open func(config.Advisor) (model.Model, error)

// With returns the service, which opens its model with open.
func With(open Open) service.Service {
	return service.Service{
		Address: "127.0.0.1:8424", Name: Name, Does: "asks a model for second opinions and records its answers",
		Reads:  []string{string(events.StreamSegments), string(events.StreamDecisions)},
		Writes: []vitals.Write{vitals.InputWrite(sessionevents.TypeOpinionRecorded)},
		Build:  func(p *service.Process) ([]service.Part, error) { return build(p, open) },
	}
}

func build(p *service.Process, open Open) ([]service.Part, error) {
	settings := p.Config.Advisor
	if !settings.Configured() {
		return nil, errors.New("advisor.provider is not set: name the model to ask (docs/advisor.md)")
	}
	rules, err := opinion.Load(p.Rules)
	if err != nil {
		return nil, err
	}
	asked, err := open(settings)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(refusals))
	for _, r := range refusals {
		names = append(names, string(r))
	}
	b := newBounds(settings, time.Now)
	metrics := obs.NewAdvisorMetrics(p.Metrics, names, b.paused)
	s := &advisor{
		settings: settings, rules: rules, metrics: metrics, log: p.Log.With("service", Name), report: func(err error) { p.Report(Name, err) },
		asker: &asker{settings: settings, rules: rules, model: asked, bounds: b},
	}
	if _, priced := settings.PriceOf(settings.Model); !priced && settings.CostPerDay > 0 && settings.Provider != config.AdvisorMock {
		s.log.Warn("advisor.prices has no price for the model: its cost counts as 0, and advisor.cost_per_day limits nothing", "model", settings.Model)
	}
	return []service.Part{{Run: s.run}}, nil
}

type advisor struct {
	settings config.Advisor
	rules    *opinion.Config
	asker    *asker
	metrics  *obs.AdvisorMetrics
	log      *slog.Logger
	report   func(error)
}

// run works until ctx ends. After a failure it resumes with what arrives from then on: a question that was
// not asked merely has no answer.
func (s *advisor) run(ctx context.Context, broker *nats.Broker) error {
	if err := s.remember(ctx, broker); err != nil && ctx.Err() == nil {
		s.log.Warn("earlier questions are unknown; the bounds count from now", "error", err)
	}
	for ctx.Err() == nil {
		err := s.attempt(ctx, broker)
		if ctx.Err() != nil {
			return nil
		}
		s.report(err)
		s.log.Warn("second opinions are interrupted, retrying", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

// remember counts the questions of the last day, so that a restart does not renew the budget (AD-5).
func (s *advisor) remember(ctx context.Context, broker *nats.Broker) error {
	found, _, err := read.About(ctx, broker, "dispatcher", []string{"decisions." + sessionevents.TypeOpinionRecorded + ".>"})
	if err != nil {
		return err
	}
	for _, a := range found {
		if o, is := a.Input.Event.Data.(*sessionevents.OpinionRecorded); is {
			s.asker.bounds.recorded(o, a.Stored)
		}
	}
	return nil
}

// keptSessions is how many sessions are followed at a time.
const keptSessions = 2000

// settled is how long nothing about a session may arrive before the consequences of its turn count as complete.
const settled = 30 * time.Millisecond

func (s *advisor) attempt(ctx context.Context, broker *nats.Broker) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	publisher, err := client.NewPublisher(broker.Conn(), client.PublisherOptions{Source: Source})
	if err != nil {
		return err
	}
	defer func() { _ = publisher.Close() }() // it has no spool
	reader, err := read.Open(ctx, broker, read.Options{Stage: "dispatcher", Partition: nats.AllPartitions, Latest: true})
	if err != nil {
		return err
	}
	w := &watching{advisor: s, due: opinion.NewDue(s.rules, keptSessions), groups: map[string]string{}}
	w.queue = newQueue(s.settings.Waiting, func() { s.metrics.Skipped(string(queueFull)) })
	read := func(ctx context.Context, session string, turn int) (*opinion.Record, error) {
		return Record(ctx, broker, session, turn)
	}
	wait := answering(ctx, s.settings.Concurrency, w.queue, func(next wish) { w.answer(ctx, read, publisher, next) })
	defer func() {
		cancel()
		wait()
	}()
	s.report(nil)
	return w.follow(ctx, reader)
}

// asks reports whether questions of this kind are enabled.
func (s *advisor) asks(w opinion.Wish) bool {
	if w.Signal == "" {
		return slices.Contains(s.settings.Asks, config.AdvisorAdd)
	}
	return slices.Contains(s.settings.Asks, config.AdvisorConfirm)
}

// recordPatience limits how long publishing an answer may take.
const recordPatience = 10 * time.Second

// recorder reads the record of a session as it was when a turn closed.
type recorder func(ctx context.Context, session string, turn int) (*opinion.Record, error)

// answer asks one question and records the answer.
func (w *watching) answer(ctx context.Context, read recorder, publisher *client.Publisher, due wish) {
	s := w.advisor
	if !w.still(due.Wish) {
		s.metrics.Skipped(string(tooLate))
		return
	}
	if refused := s.asker.bounds.reached(due.Session); refused != "" {
		s.metrics.Skipped(string(refused))
		return
	}
	record, err := read(ctx, due.Session, due.Turn)
	if err != nil {
		s.report(err)
		s.metrics.Skipped(string(notFound))
		return
	}
	q := s.rules.Build(record, due.Wish)
	if q == nil {
		s.metrics.Skipped(string(notFound))
		return
	}
	result := s.asker.ask(ctx, q)
	switch {
	case result.refused != "":
		s.metrics.Skipped(string(result.refused))
		return
	case result.err != nil:
		s.metrics.Failed(q.Kind)
		s.log.Warn("a question was not answered", "session", q.Session, "question", q.ID(), "error", result.err)
		return
	}
	s.metrics.Asked(result.opinion, result.took)
	limited, cancel := context.WithTimeout(ctx, recordPatience)
	defer cancel()
	_, err = publisher.Event(limited, event(result.opinion, due.group))
	if ctx.Err() != nil { // it is being stopped, and the broker with it
		return
	}
	if err != nil {
		s.report(fmt.Errorf("record an opinion: %w", err))
		s.log.Warn("an opinion was not recorded", "session", q.Session, "question", q.ID(), "error", err)
		return
	}
	s.report(nil)
}

// wish is a question that is due, with its session's group.
type wish struct {
	opinion.Wish
	group string
}

// queue holds pending questions. When it is full, the oldest is dropped: a late answer is worth the least
// (AD-4, AD-5). Adding never blocks.
type queue struct {
	mu      sync.Mutex
	list    []wish
	most    int
	dropped func()
	filled  chan struct{}
}

func newQueue(most int, dropped func()) *queue {
	return &queue{most: most, dropped: dropped, filled: make(chan struct{}, 1)}
}

func (q *queue) add(w wish) {
	q.mu.Lock()
	if len(q.list) >= q.most {
		q.list = q.list[1:]
		q.dropped()
	}
	q.list = append(q.list, w)
	q.mu.Unlock()
	q.wake()
}

func (q *queue) wake() {
	select {
	case q.filled <- struct{}{}:
	default:
	}
}

// next waits for a question; it returns false when ctx ends.
func (q *queue) next(ctx context.Context) (wish, bool) {
	for {
		q.mu.Lock()
		if len(q.list) > 0 {
			w := q.list[0]
			q.list = q.list[1:]
			more := len(q.list) > 0
			q.mu.Unlock()
			if more {
				q.wake() // for another worker
			}
			return w, true
		}
		q.mu.Unlock()
		select {
		case <-ctx.Done():
			return wish{}, false
		case <-q.filled:
		}
	}
}

// answering answers what waits in a queue until ctx ends, at most so many questions at a time (AD-5). It
// returns at once; wait returns when the last answer has.
func answering(ctx context.Context, most int, q *queue, answer func(wish)) (wait func()) {
	var workers sync.WaitGroup
	for range most {
		workers.Go(func() {
			for {
				next, ok := q.next(ctx)
				if !ok {
					return
				}
				answer(next)
			}
		})
	}
	return workers.Wait
}

// said returns the subjects of SEGMENTS with what a session said.
func said(session string) []string {
	return []string{
		subjects.SessionFilter(sessionevents.TypeTurnSegmented, session),
		"segments." + subjects.SessionFilter(sessionevents.TypeSessionOpened, session),
	}
}

// decided returns the subjects of DECISIONS with what a question needs about a session.
func decided(session string) []string {
	var out []string
	for _, t := range []events.Type{sessionevents.TypeSignalDetected, sessionevents.TypeTurnEvaluated} {
		out = append(out, "decisions."+subjects.SessionFilter(t, session))
	}
	return out
}

// Record reads what a question about a session is built from, as it was when a turn closed. The same record
// gives the same question, live or years later.
func Record(ctx context.Context, broker *nats.Broker, session string, turn int) (*opinion.Record, error) {
	r := opinion.NewRecord(session)
	turns, _, err := read.About(ctx, broker, "ingest", said(session))
	if err != nil {
		return nil, fmt.Errorf("read the turns of session %s: %w", session, err)
	}
	for _, a := range turns {
		if t, is := a.Input.Event.Data.(*sessionevents.TurnSegmented); !is || t.Turn <= turn {
			r.Take(a.Input.Event)
		}
	}
	all, _, err := read.About(ctx, broker, "dispatcher", decided(session))
	if err != nil {
		return nil, fmt.Errorf("read the decisions about session %s: %w", session, err)
	}
	for _, a := range all {
		if closed, is := a.Input.Event.Data.(*sessionevents.TurnEvaluated); is && closed.Turn > turn {
			break
		}
		r.Take(a.Input.Event)
		if closed, is := a.Input.Event.Data.(*sessionevents.TurnEvaluated); is && closed.Turn == turn {
			break
		}
	}
	return r, nil
}

// Asked is an opinion with the question that it answers.
type Asked struct {
	Opinion  *sessionevents.OpinionRecorded
	Question *opinion.Question
	// Same reports that the question, when rebuilt, equals the one that was asked.
	Same bool
}

// Questions rebuilds every question that was asked about a session.
func Questions(ctx context.Context, broker *nats.Broker, rules *opinion.Config, session string) ([]Asked, error) {
	if !events.ValidID(session) {
		return nil, fmt.Errorf("%q is not a session id; ids are 1 to 128 of A-Z a-z 0-9 _ -", session)
	}
	found, _, err := read.About(ctx, broker, "dispatcher", []string{"decisions." + subjects.SessionFilter(sessionevents.TypeOpinionRecorded, session)})
	if err != nil {
		return nil, fmt.Errorf("read the opinions about session %s: %w", session, err)
	}
	var out []Asked
	for _, a := range found {
		o, is := a.Input.Event.Data.(*sessionevents.OpinionRecorded)
		if !is {
			continue
		}
		record, err := Record(ctx, broker, session, o.Turn)
		if err != nil {
			return nil, err
		}
		q := rules.Build(record, opinion.Wish{Session: session, Signal: o.Signal, From: o.From, Turn: o.Turn})
		out = append(out, Asked{Opinion: o, Question: q, Same: q != nil && q.ID() == o.Question})
	}
	return out, nil
}
