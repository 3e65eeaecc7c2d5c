// Package drivetest provides a sink that records everything, and lets a test wait for what it expects.
package drivetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const patience = 20 * time.Second // limit for what never arrives

// Recorder is a driver.Sink. Its zero value is ready for use.
type Recorder struct {
	// OnEvent, if set, is called for every event before it is recorded.
	OnEvent func(events.Event)

	mu      sync.Mutex
	changed chan struct{}
	list    []events.Event
	heard   []string
	idle    []string
	notes   []string
}

// Event records an event.
func (r *Recorder) Event(_ context.Context, e events.Event) error {
	if r.OnEvent != nil {
		r.OnEvent(e)
	}
	r.change(func() { r.list = append(r.list, e) })
	return nil
}

// Delivered records the id of a delivered message.
func (r *Recorder) Delivered(_ context.Context, id string) {
	r.change(func() { r.heard = append(r.heard, id) })
}

// Idle records that a session waits.
func (r *Recorder) Idle(_ context.Context, session string) {
	r.change(func() { r.idle = append(r.idle, session) })
}

// Note records a line for people.
func (r *Recorder) Note(text string) { r.change(func() { r.notes = append(r.notes, text) }) }

func (r *Recorder) change(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// Wait waits until the records satisfy the condition, and fails with the records if they never do.
func (r *Recorder) Wait(t testing.TB, what string, holds func(Seen) bool) Seen {
	t.Helper()
	timeout := time.After(patience)
	for {
		r.mu.Lock()
		seen := r.seen()
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed := r.changed
		r.mu.Unlock()
		if holds(seen) {
			return seen
		}
		select {
		case <-changed:
		case <-timeout:
			t.Fatalf("never seen: %s\nseen:\n%s", what, seen)
		}
	}
}

// Seen returns what was recorded so far.
func (r *Recorder) Seen() Seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen()
}

func (r *Recorder) seen() Seen {
	s := Seen{Delivered: append([]string{}, r.heard...), Idle: append([]string{}, r.idle...), Notes: append([]string{}, r.notes...)}
	for _, e := range r.list {
		s.Times = append(s.Times, e.Time)
		switch data := e.Data.(type) {
		case *sessionevents.SessionOpened:
			s.Opened = append(s.Opened, data)
		case *sessionevents.Turn:
			s.Turns = append(s.Turns, data)
		case *sessionevents.SessionClosed:
			s.Closed = append(s.Closed, data)
		}
	}
	return s
}

// Seen is what a sink received, by kind, each in order.
type Seen struct {
	Opened    []*sessionevents.SessionOpened
	Turns     []*sessionevents.Turn
	Closed    []*sessionevents.SessionClosed
	Delivered []string
	Idle      []string
	Notes     []string
	Times     []time.Time // of all events
}

// String returns an outline: a line for each event, with the blocks of a turn by type.
func (s Seen) String() string {
	var out strings.Builder
	for _, o := range s.Opened {
		fmt.Fprintf(&out, "opened %s parent=%s workspace=%t\n", o.Session, o.Agent.ParentSession, o.Workspace != "")
	}
	for _, t := range s.Turns {
		fmt.Fprintf(&out, "turn %s\n", Outline(t))
	}
	for _, c := range s.Closed {
		fmt.Fprintf(&out, "closed %s %s\n", c.Session, c.Reason)
	}
	fmt.Fprintf(&out, "delivered %q\nidle %q\nnotes %q\n", s.Delivered, s.Idle, s.Notes)
	return out.String()
}

// Outline returns a turn on one line: its session and its blocks.
func Outline(t *sessionevents.Turn) string {
	parts := []string{t.Session}
	for _, b := range t.Blocks {
		switch b.Type {
		case sessionevents.BlockToolCall:
			parts = append(parts, "call "+b.Name)
		case sessionevents.BlockToolResult:
			parts = append(parts, "result "+strings.TrimSpace(b.Output))
		default:
			parts = append(parts, string(b.Type)+" "+b.Text)
		}
	}
	return strings.Join(parts, " | ")
}

// Outlines returns the outlines of turns, in order.
func Outlines(list []*sessionevents.Turn) []string {
	out := make([]string, 0, len(list))
	for _, t := range list {
		out = append(out, Outline(t))
	}
	return out
}
