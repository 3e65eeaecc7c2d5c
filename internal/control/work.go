package control

import (
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Work is the kind of work that a harness is about to start.
type Work int

// Kinds of work.
const (
	// Step is a tool call or a turn of the current task.
	Step Work = iota
	// Task is a task: the next prompt, agent, phase or wave.
	Task
)

// Stops reports whether a state is known to stop work: halted and paused stop all
// of it, draining stops new tasks only (RW-31).
func Stops(s State, w Work) bool {
	switch s {
	case runevents.ControlHalted, runevents.ControlPaused:
		return true
	case runevents.ControlDraining:
		return w == Task
	}
	return false
}

// Permits reports whether a state is known to allow work. An unknown state neither
// permits nor stops it: an agent continues, since watching must not block the watched
// work, and an orchestrator that asked for a verdict waits.
func Permits(s State, w Work) bool {
	return (s == runevents.ControlRunning || s == runevents.ControlDraining) && !Stops(s, w)
}

// Reason returns the reason of a control's state for people, as a clause without a full
// stop.
func Reason(c runevents.Control) string {
	if why := strings.TrimSuffix(c.Why, "."); why != "" {
		return why
	}
	return "no reason was given"
}
