package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// Filter selects events by run and session. The zero value selects the whole fleet; Run
// alone selects a run and all its sessions; Session alone selects that session in
// whatever run; both select that session and, for halts, its run.
type Filter struct {
	Session string
	Run     string
}

func (f Filter) check() error {
	for _, id := range []string{f.Session, f.Run} {
		if id != "" && !events.ValidID(id) {
			return fmt.Errorf("filter: %q is not a valid session or run id (1 to 128 of A-Z a-z 0-9 _ -)", id)
		}
	}
	return nil
}

// subjects returns the filter subjects of one type (EV-4).
func (f Filter) subjects(t events.Type) []string {
	switch {
	case f.Session != "":
		return []string{subjects.SessionFilter(t, f.Session)}
	case f.Run != "":
		return []string{subjects.RunFilter(t, f.Run)}
	default:
		return []string{subjects.FleetFilter(t)}
	}
}

// Start is a position in the stream. The zero value starts with the next event.
type Start struct {
	// Sequence is the first stream sequence to read, so a reader that has handled n
	// resumes at n+1. It takes precedence over the other fields.
	Sequence uint64
	// All starts at the oldest event still in the stream.
	All bool
	// Latest starts with the last event on each subject, which is the current value.
	Latest bool
}

// Subscriber reads what scaffoldwatch decided. It is safe for concurrent use.
//
// It accepts a message only if it is part of a batch of the dispatcher, its ce-type fits
// its
// subject and its data decodes as that type (EV-6); others are skipped and counted, since
// others may be able to write to the stream.
type Subscriber struct {
	js      jetstream.JetStream
	options SubscriberOptions
	skipped atomic.Uint64

	mu        sync.Mutex
	decisions *proof.Store
}

// SubscriberOptions configure a [Subscriber]; the zero value is usable.
type SubscriberOptions struct {
	// TrustedKeys are the public nkeys that the dispatcher signs with (security.trusted_keys of the
	// installation). Without keys, unsigned batches are accepted, so a forged batch is believed.
	TrustedKeys []string
	// RevokedKeys are keys whose batches are no longer accepted after the given time
	// (security.revoked_keys).
	RevokedKeys map[string]time.Time
	// OnSkip is called for every message that was not accepted.
	OnSkip func(Skipped)
}

// Skipped is a message that was not accepted.
type Skipped struct {
	Subject  string
	Sequence uint64
	Reason   error
}

// NewSubscriber returns a subscriber on an open connection, which the caller keeps and
// closes.
func NewSubscriber(conn *nats.Conn, options SubscriberOptions) (*Subscriber, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("open JetStream: %w", err)
	}
	if options.OnSkip == nil {
		options.OnSkip = func(Skipped) {}
	}
	return &Subscriber{js: js, options: options}, nil
}

// Skipped returns the number of messages that were not accepted so far.
func (s *Subscriber) Skipped() uint64 { return s.skipped.Load() }

// Interrupt is one interrupt.fired event and its place in the stream, or a
// correction.issued for an agent in the same form (RW-40).
type Interrupt struct {
	Event    events.Event
	Fired    *sessionevents.InterruptFired
	Sequence uint64 // resume with Start{Sequence: Sequence + 1}
}

// Delivery returns the data that reports the delivery of the interrupt (DP-21), for
// [Publisher.Delivery]. Channel is how it was sent, by is the reporter.
func (i Interrupt) Delivery(state sessionevents.DeliveryState, channel, by string) sessionevents.InterruptDelivery {
	return sessionevents.InterruptDelivery{Interrupt: i.Fired.ID, Session: i.Fired.Session, Turn: i.Fired.Turn, State: state, Channel: channel, By: by}
}

// Text returns the interrupt as an agent receives it on any channel: the headline, then
// the message (DP-20), then its id and where to answer (CO-7). The reason is for people
// and left out.
func (i Interrupt) Text() string {
	return i.Fired.Headline + "\n" + quote.Line(i.Fired.Message) + i.Fired.Handle()
}

// End returns the position after the newest decision: a reader that starts there misses
// no later decision, however long it takes to start reading.
func (s *Subscriber) End(ctx context.Context) (Start, error) {
	stream, err := s.js.Stream(ctx, string(events.StreamDecisions))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return Start{}, fmt.Errorf("stream %s does not exist, run `scaffoldwatch streams init`: %w", events.StreamDecisions, err)
	}
	if err != nil {
		return Start{}, fmt.Errorf("inspect stream %s: %w", events.StreamDecisions, err)
	}
	return Start{Sequence: stream.CachedInfo().State.LastSeq + 1}, nil
}

// Interrupts yields the interrupts that f selects, in stream order, until ctx ends or the caller stops. It
// survives reconnects and restarts of the broker. A failure it cannot recover from is yielded as the last
// pair.
func (s *Subscriber) Interrupts(ctx context.Context, f Filter, from Start) iter.Seq2[Interrupt, error] {
	return func(yield func(Interrupt, error) bool) {
		subjects := append(f.subjects(sessionevents.TypeInterruptFired), f.subjects(runevents.TypeCorrectionIssued)...)
		for m, err := range s.follow(ctx, f, subjects, from) {
			fired, forAgent := runevents.AsInterrupt(m.event.ID, m.event.Group(), m.event.Data)
			if err == nil && !forAgent {
				continue // for the orchestrator
			}
			if !yield(Interrupt{Event: m.event, Fired: fired, Sequence: m.sequence}, err) {
				return
			}
		}
	}
}

// Halt is one wiggum.break event and its place in the stream.
type Halt struct {
	Event    events.Event
	Break    *runevents.WiggumBreak
	Sequence uint64
}

// Halts yields the breaks that f selects, as Interrupts does. A break says why something
// should stop; whether it does is what [Subscriber.Control] returns, since nothing stops
// in observe mode (DP-25). A filter by session alone leaves out the breaks of its run:
// set both ids to receive them.
func (s *Subscriber) Halts(ctx context.Context, f Filter, from Start) iter.Seq2[Halt, error] {
	selected := f.subjects(runevents.TypeWiggumBreak)
	if f.Session != "" && f.Run != "" && f.Session != f.Run {
		selected = []string{subjects.RunSessionFilter(runevents.TypeWiggumBreak, f.Run, f.Session), subjects.RunSubjectFilter(runevents.TypeWiggumBreak, f.Run)}
	}
	return func(yield func(Halt, error) bool) {
		for m, err := range s.follow(ctx, f, selected, from) {
			broke, _ := m.event.Data.(*runevents.WiggumBreak)
			if !yield(Halt{Event: m.event, Break: broke, Sequence: m.sequence}, err) {
				return
			}
		}
	}
}
