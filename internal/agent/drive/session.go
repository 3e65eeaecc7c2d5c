package drive

import (
	"context"
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// session is what the relay knows of one session.
type session struct {
	id, run string
	turns   int
	said    map[string]*saying // by interrupt id, until a turn follows
	halted  string             // why it was halted, "" while it may go on
	soft    string             // why it halts when its task is done (RW-31)
	paused  bool               // it waits until a person lets it go on
}

// Event publishes what the agent did and keeps up with its session.
func (w *relayed) Event(ctx context.Context, e events.Event) error {
	switch data := e.Data.(type) {
	case *sessionevents.SessionOpened:
		w.session(data.Session, data.Run)
	case *sessionevents.Turn:
		w.turn(ctx, data)
	case *sessionevents.SessionClosed:
		w.mu.Lock()
		delete(w.sessions, data.Session)
		w.mu.Unlock()
	}
	what := fmt.Sprintf("%s of %s", e.Type, e.Subject)
	return w.enqueue(ctx, publication{what, func(ctx context.Context) error { return w.Send(ctx, e) }})
}

// session finds or makes the session.
func (w *relayed) session(id, run string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.sessions[id]
	if s == nil {
		s = &session{id: id, run: run, said: map[string]*saying{}}
		w.sessions[id] = s
	}
	return s
}

// known is the session, nil where it is none of this driver's.
func (w *relayed) known(id string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[id]
}

// turn counts the turn, takes it as the answer to what was said before it, and
// looks whether the session may go on.
func (w *relayed) turn(ctx context.Context, t *sessionevents.Turn) {
	s := w.session(t.Session, t.Run)
	w.mu.Lock()
	s.turns++
	acked := s.answered()
	w.mu.Unlock()
	for _, said := range acked {
		w.record(ctx, s, said.interrupt, sessionevents.DeliveryAcked)
	}
	w.talks.Go(func() { w.mayGoOn(w.life, s) })
}

// mayGoOn reads the control state (EV-8) and halts the session where it says so.
// A session that went on after a halt is halted again (RW-33).
func (w *relayed) mayGoOn(ctx context.Context, s *session) {
	control, err := w.Listen.Control(ctx, client.Filter{Session: s.id, Run: s.run})
	if err != nil {
		w.cannotRead(ctx, err)
	}
	w.mu.Lock()
	why := s.halted
	if control.State == runevents.ControlRunning {
		s.halted, s.soft, why = "", "", ""
	}
	w.mu.Unlock()
	switch control.State {
	case runevents.ControlPaused:
		w.pause(ctx, s, reasonOf(control))
	case runevents.ControlHalted:
		w.halt(ctx, s, reasonOf(control))
	case runevents.ControlDraining:
		w.drain(s, reasonOf(control))
	default:
		if why != "" {
			w.halt(ctx, s, why)
		}
	}
}

func reasonOf(c runevents.Control) string {
	if c.Why != "" {
		return c.Why
	}
	return "the control state is " + string(c.State)
}

// cannotRead says once that halts by control state are not seen.
func (w *relayed) cannotRead(ctx context.Context, err error) {
	w.mu.Lock()
	told := w.blind
	w.blind = true
	w.mu.Unlock()
	if !told && ctx.Err() == nil {
		w.Note(fmt.Sprintf("the control state is unknown, going on: %v", err))
	}
}

// Idle halts a session that was to stop after its task.
func (w *relayed) Idle(_ context.Context, id string) {
	s := w.known(id)
	if s == nil {
		return
	}
	w.mu.Lock()
	why := s.soft
	s.soft = ""
	w.mu.Unlock()
	if why != "" {
		w.talks.Go(func() { w.halt(w.life, s, why) })
	}
}

// broke takes a break: a hard one halts at once (RW-30), a soft one when the
// task is done (RW-31). One of a run holds for all its sessions.
func (w *relayed) broke(b *runevents.WiggumBreak) {
	for _, s := range w.concerned(b) {
		if b.Kind == runevents.BreakSoft {
			w.drain(s, b.Reason)
			continue
		}
		w.talks.Go(func() { w.halt(w.life, s, b.Reason) })
	}
}

func (w *relayed) concerned(b *runevents.WiggumBreak) []*session {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []*session
	for _, s := range w.sessions {
		ofRun := b.Scope == runevents.ScopeRun || b.Session == ""
		if ofRun && b.Run != "" && b.Run == s.run || !ofRun && b.Session == s.id {
			out = append(out, s)
		}
	}
	return out
}

func (w *relayed) drain(s *session, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.soft = reason
}

// halt stops the session; while the agent is away it tries again.
func (w *relayed) halt(ctx context.Context, s *session, reason string) {
	w.mu.Lock()
	first := s.halted == ""
	s.halted = reason
	w.mu.Unlock()
	if first {
		w.Note(fmt.Sprintf("halting %s: %s", s.id, reason))
	}
	for pause := retryMin; ; pause = min(2*pause, retryMax) {
		err := w.driver.Halt(ctx, s.id, reason)
		if !lasting(err) || !wait(ctx, pause) {
			if err != nil && ctx.Err() == nil {
				w.Note(fmt.Sprintf("%s was not halted: %v", s.id, err))
			}
			return
		}
	}
}
