package relay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/drive"
	"github.com/scaffoldwatch/scaffoldwatch/internal/control"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// pausePatience is the interval between two checks of the state of a waiting session while no change is
// reported.
const pausePatience = 30 * time.Second

// govern makes a session obey its control state (EV-8) until it or the driver ends: whenever a change is
// decided, the session acted or its task is done.
func (w *relayed) govern(s *session) {
	for pause := retryMin; ; {
		var again <-chan time.Time
		switch obeyed := w.obey(w.life, s); {
		case !obeyed:
			again = time.After(pause)
			pause = min(2*pause, retryMax)
		case s.waits():
			again = time.After(pausePatience)
		default:
			pause = retryMin
		}
		select {
		case <-w.life.Done():
			return
		case <-s.closed:
			return
		case <-s.look:
		case <-again:
		}
	}
}

// obey reads the control state once and enforces it. It returns false if it must be retried. A state is
// enforced again if the session has acted since: one that continued after a halt is halted again (RW-33).
// While the state is unknown, the last known one applies.
func (w *relayed) obey(ctx context.Context, s *session) bool {
	state, err := w.Listen.Control(ctx, client.Filter{Session: s.id, Run: s.run})
	if err != nil {
		w.cannotRead(ctx, err)
	}
	s.mu.Lock()
	if err != nil || state.State == runevents.ControlUnknown {
		state = s.obeyed
	}
	due, idle, waits := s.acted || state != s.obeyed, s.idle, s.paused
	s.obeyed, s.acted, s.idle = state, false, false
	s.mu.Unlock()
	done := true
	switch {
	case state.State == runevents.ControlPaused:
		done = waits || !due || w.pause(ctx, s, control.Reason(state))
	case due && control.Stops(state.State, control.Step), idle && control.Stops(state.State, control.Task):
		done = w.halt(ctx, s, control.Reason(state))
	case waits:
		w.resume(ctx, s)
	}
	s.locked(func() {
		s.acted = s.acted || !done
		if control.Permits(state.State, control.Task) {
			s.halted = ""
		}
	})
	return done && err == nil
}

// cannotRead reports, once, that the control state cannot be read.
func (w *relayed) cannotRead(ctx context.Context, err error) {
	if !w.blind.Swap(true) && ctx.Err() == nil {
		w.Note(fmt.Sprintf("the control state is unknown, continuing: %v", err))
	}
}

// halt stops the session; it returns false if the agent does not answer.
func (w *relayed) halt(ctx context.Context, s *session, reason string) bool {
	s.mu.Lock()
	first := s.halted == ""
	s.halted, s.paused = reason, false
	s.mu.Unlock()
	if first {
		w.Note(fmt.Sprintf("halting %s: %s", s.id, reason))
	}
	err := w.driver.Halt(ctx, s.id, reason)
	if err != nil && !lasting(err) && ctx.Err() == nil {
		w.Note(fmt.Sprintf("%s was not halted: %v", s.id, err))
	}
	return !lasting(err)
}

// pause makes the session wait in the middle of its task; if its agent cannot wait, the session is halted.
// The result is that of halt.
func (w *relayed) pause(ctx context.Context, s *session, why string) bool {
	pauser, can := w.driver.(drive.Pauser)
	err := drive.ErrUnsupported
	if can {
		s.locked(func() { s.paused = true })
		err = pauser.Pause(ctx, s.id)
	}
	switch {
	case errors.Is(err, drive.ErrUnsupported):
		return w.halt(ctx, s, why)
	case err != nil:
		s.locked(func() { s.paused = false })
		w.Note(fmt.Sprintf("%s was not paused: %v", s.id, err))
	default:
		w.Note(fmt.Sprintf("pausing %s: %s; it waits for `scaffoldwatch resume`", s.id, why))
	}
	return true
}

// resume ends the pause of a session.
func (w *relayed) resume(ctx context.Context, s *session) {
	err := w.driver.(drive.Pauser).Resume(ctx, s.id)
	s.locked(func() { s.paused = false })
	if err != nil {
		w.Note(fmt.Sprintf("%s could not be resumed: %v", s.id, err))
		return
	}
	w.Note(fmt.Sprintf("%s goes on", s.id))
}
