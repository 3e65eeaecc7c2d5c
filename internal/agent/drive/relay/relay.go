// Package relay connects a driver of an agent to a running system: what the agent does goes to INPUT, what
// DECISIONS says about its sessions goes to the agent, and the outcome is recorded (DP-21).
package relay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Listener reads decisions; a client.Subscriber is one.
type Listener interface {
	End(ctx context.Context) (client.Start, error)
	Interrupts(ctx context.Context, f client.Filter, from client.Start) iter.Seq2[client.Interrupt, error]
	ControlChanges(ctx context.Context, f client.Filter, from client.Start) iter.Seq2[client.ControlChange, error]
	Control(ctx context.Context, f client.Filter) (runevents.Control, error)
}

// Relay connects a driver to a running system. All fields but Run are required.
type Relay struct {
	// Send publishes an event; it returns once the event is stored or spooled.
	Send func(ctx context.Context, e events.Event) error
	// Deliver publishes the outcome of an interrupt (DP-21).
	Deliver func(ctx context.Context, run string, d sessionevents.InterruptDelivery) error
	Listen  Listener
	// Run is the run that the sessions belong to, "" for none; its halts apply to them.
	Run string
	// Note shows people a line of text; it is called by one goroutine at a time.
	Note func(string)
}

const (
	queueLength   = 64               // pending publications; beyond that the agent waits
	drainPatience = 10 * time.Second // for what is queued when the agent has exited
	retryMin      = 200 * time.Millisecond
	retryMax      = 5 * time.Second
)

// Drive runs the driver until it or ctx ends, and returns its error. A failure to publish or to listen is
// logged and does not stop the agent: watching must not harm the work it watches.
func (r *Relay) Drive(ctx context.Context, d drive.Driver) error {
	start, err := r.Listen.End(ctx)
	if err != nil {
		return fmt.Errorf("find the end of the decisions: %w", err)
	}
	life, stop := context.WithCancel(ctx)
	defer stop()
	w := &relayed{Relay: r, driver: d, life: life, sessions: roster{byID: map[string]*session{}}, queue: make(chan publication, queueLength)}
	// The queue outlives ctx: what the agent did before Ctrl-C counts.
	publishing, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	var publisher, listeners sync.WaitGroup
	publisher.Go(func() { w.publish(publishing) })
	listeners.Go(func() { w.listenInterrupts(start) })
	listeners.Go(func() { w.listenControl(start) })

	err = d.Run(ctx, w)

	stop()
	defer time.AfterFunc(drainPatience, abandon).Stop()
	listeners.Wait()
	w.talks.Wait()
	close(w.queue)
	publisher.Wait()
	return err
}

// publication is one thing to publish.
type publication struct {
	what string
	send func(context.Context) error
}

// relayed is one run of a Relay; it is the driver's Sink.
type relayed struct {
	*Relay
	driver drive.Driver
	life   context.Context // of what is sent and received; it ends with the driver
	queue  outbox
	talks  sync.WaitGroup // goroutines that send messages or halts

	sessions roster
	blind    atomic.Bool // a failure to read the control state was reported

	noting sync.Mutex
}

// Note shows people a line of text.
func (w *relayed) Note(text string) {
	w.noting.Lock()
	defer w.noting.Unlock()
	w.Relay.Note(text)
}

// outbox is what waits to be published.
type outbox chan publication

// add queues a publication, so that a slow broker delays neither agent nor interrupts until the queue is
// full.
func (o outbox) add(ctx context.Context, p publication) error {
	select {
	case o <- p: // also after Ctrl-C, while there is space
		return nil
	default:
	}
	select {
	case o <- p:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// publish publishes the queue in order, until it is closed.
func (w *relayed) publish(ctx context.Context) {
	for p := range w.queue {
		if err := p.send(ctx); err != nil {
			w.Note(fmt.Sprintf("%s was not published: %v", p.what, err))
		}
	}
}

func (w *relayed) filter() client.Filter { return client.Filter{Run: w.Relay.Run} }

// listenInterrupts delivers the interrupts that fire from start on. It resumes after the last one read when
// reading fails.
func (w *relayed) listenInterrupts(from client.Start) {
	w.persist("interrupts", func() error {
		for i, err := range w.Listen.Interrupts(w.life, w.filter(), from) {
			if err != nil {
				return err
			}
			from = client.Start{Sequence: i.Sequence + 1}
			w.fired(i)
		}
		return nil
	})
}

// listenControl checks whether sessions may continue at every change of a control state.
func (w *relayed) listenControl(from client.Start) {
	w.persist("control states", func() error {
		for c, err := range w.Listen.ControlChanges(w.life, w.filter(), from) {
			if err != nil {
				return err
			}
			from = client.Start{Sequence: c.Sequence + 1}
			for _, s := range w.sessions.concerned(c.Event) {
				s.lookAgain(func() {})
			}
		}
		return nil
	})
}

// persist retries read, with growing pauses, as long as the driver runs.
func (w *relayed) persist(what string, read func() error) {
	ctx := w.life
	for pause := retryMin; ctx.Err() == nil; pause = min(2*pause, retryMax) {
		if err := read(); err != nil && ctx.Err() == nil {
			w.Note(fmt.Sprintf("listening for %s failed, retrying: %v", what, err))
		}
		if !wait(ctx, pause) {
			return
		}
	}
}

// wait pauses and reports whether ctx is still active.
func wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// lasting reports whether a retry cannot fix err.
func lasting(err error) bool { return errors.Is(err, drive.ErrAway) }
