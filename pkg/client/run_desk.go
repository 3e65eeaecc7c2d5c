package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// verdictTypes are the types of decisions about a run event.
var verdictTypes = []events.Type{
	runevents.TypeRunEvaluated, runevents.TypeGateDecided, runevents.TypeWiggumBreak, runevents.TypeBreakNoted, runevents.TypeControlChanged,
	runevents.TypeViolationDetected, runevents.TypeWarningIssued, runevents.TypeCorrectionIssued, runevents.TypeEscalationRaised,
	runevents.TypePolicyBudget, runevents.TypePolicyCheckpoint, runevents.TypeClarificationRequested, runevents.TypeClarificationDefaulted,
	runevents.TypeHaltIgnored, sessionevents.TypeInterruptFired,
}

// maxHeard bounds the decisions kept for a run while a verdict is pending.
const maxHeard = 4096

// desk receives decisions and passes them to the callers that wait for a verdict: one
// consumer for any number of callers. It starts to read with the first waiting caller.
type desk struct {
	subscriber *Subscriber
	about      Filter

	ctx     context.Context
	stop    context.CancelFunc
	reading sync.WaitGroup

	mu      sync.Mutex
	started bool
	trouble error // why reading stopped, nil while it continues
	waiting map[string]map[*waiter]bool
}

func newDesk(s *Subscriber, about Filter) *desk {
	ctx, stop := context.WithCancel(context.Background())
	return &desk{subscriber: s, about: about, ctx: ctx, stop: stop, waiting: map[string]map[*waiter]bool{}}
}

func (d *desk) close() {
	d.stop()
	d.reading.Wait()
}

// waiter waits for the verdict about one event.
type waiter struct {
	desk       *desk
	run, event string
	heard      []events.Event
	verdict    chan Verdict
}

// wait registers a waiter before its event is published, so that it cannot miss the answer.
func (d *desk) wait(ctx context.Context, run, event string) (*waiter, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ctx.Err() != nil {
		return nil, ErrClosed
	}
	if !d.started {
		from, err := d.subscriber.End(ctx)
		if err != nil {
			return nil, err
		}
		d.started = true
		d.reading.Go(func() { d.read(from) })
	}
	w := &waiter{desk: d, run: run, event: event, verdict: make(chan Verdict, 1)}
	if d.waiting[run] == nil {
		d.waiting[run] = map[*waiter]bool{}
	}
	d.waiting[run][w] = true
	return w, nil
}

func (w *waiter) leave() {
	w.desk.mu.Lock()
	defer w.desk.mu.Unlock()
	delete(w.desk.waiting[w.run], w)
	if len(w.desk.waiting[w.run]) == 0 {
		delete(w.desk.waiting, w.run)
	}
}

// read reads until it fails; waiters that time out return its error.
func (d *desk) read(from Start) {
	var subjects []string
	for _, t := range verdictTypes {
		subjects = append(subjects, d.about.subjects(t)...)
	}
	for d.ctx.Err() == nil {
		for m, err := range d.subscriber.follow(d.ctx, d.about, subjects, from) {
			d.note(err)
			if err != nil {
				break
			}
			from = Start{Sequence: m.sequence + 1}
			d.take(m.event)
		}
		select {
		case <-d.ctx.Done():
		case <-time.After(DefaultBackoffMin):
		}
	}
}

func (d *desk) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trouble = err
}

// take passes an event to the callers that wait for a decision about its run.
func (d *desk) take(e events.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.waiting[e.Group()] {
		w.hear(e)
	}
}

func (w *waiter) hear(e events.Event) {
	closed, ok := e.Data.(*runevents.RunEvaluated)
	switch {
	case !ok:
		if len(w.heard) == maxHeard {
			w.heard = w.heard[1:]
		}
		w.heard = append(w.heard, e)
	case closed.Event == w.event:
		select {
		case w.verdict <- newVerdict(closed, w.heard):
		default: // closed before
		}
	}
}

// silence returns the error for a verdict that did not arrive in time.
func (d *desk) silence(ctx context.Context, e events.Event, patience time.Duration) error {
	d.mu.Lock()
	trouble := d.trouble
	d.mu.Unlock()
	err := fmt.Errorf("%w about %s %s, which was published, within %s; do ingest, evaluator and dispatcher run? (`scaffoldwatch doctor`, `scaffoldwatch dead list`)", ErrNoVerdict, e.Type, e.ID, patience)
	if cause := context.Cause(ctx); !errors.Is(cause, context.DeadlineExceeded) {
		err = fmt.Errorf("%w about %s %s, which was published: %w", ErrNoVerdict, e.Type, e.ID, cause)
	}
	return errors.Join(err, trouble)
}
