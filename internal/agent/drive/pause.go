package drive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/client"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// pausePatience is the time between two looks at the state of a session that waits.
const pausePatience = time.Second

// pause lets a session wait until its state is another one; where its agent
// cannot wait it is halted. While nothing is known it goes on waiting.
func (w *relayed) pause(ctx context.Context, s *session, why string) {
	pauser, can := w.driver.(Pauser)
	if !can {
		w.halt(ctx, s, why)
		return
	}
	if !w.beginPause(s) {
		return
	}
	switch err := pauser.Pause(ctx, s.id); {
	case errors.Is(err, ErrUnsupported):
		w.endPause(s)
		w.halt(ctx, s, why)
		return
	case err != nil:
		w.endPause(s)
		w.Note(fmt.Sprintf("%s was not paused: %v", s.id, err))
		return
	}
	w.Note(fmt.Sprintf("pausing %s: %s; it waits for `scaffoldwatch resume`", s.id, why))
	defer w.endPause(s)
	for wait(ctx, pausePatience) {
		control, err := w.Listen.Control(ctx, client.Filter{Session: s.id, Run: s.run})
		if err == nil && control.State != runevents.ControlPaused {
			w.goOn(ctx, pauser, s, control)
			return
		}
	}
}

// goOn ends a pause as the new state wants it.
func (w *relayed) goOn(ctx context.Context, pauser Pauser, s *session, control runevents.Control) {
	switch control.State {
	case runevents.ControlHalted:
		w.halt(ctx, s, reasonOf(control))
		return
	case runevents.ControlDraining:
		w.drain(s, reasonOf(control))
	}
	if err := pauser.Resume(ctx, s.id); err != nil {
		w.Note(fmt.Sprintf("%s did not go on: %v", s.id, err))
		return
	}
	w.Note(fmt.Sprintf("%s goes on", s.id))
}

// beginPause is false where the session waits already.
func (w *relayed) beginPause(s *session) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.paused {
		return false
	}
	s.paused = true
	return true
}

func (w *relayed) waits(s *session) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return s.paused
}

func (w *relayed) endPause(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s.paused = false
}
