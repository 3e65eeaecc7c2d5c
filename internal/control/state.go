package control

import (
	"cmp"
	"slices"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// State is the control state of a run or session. The empty state means unspecified.
type State = runevents.ControlState

// rank orders the states by how little may continue. Unknown is stricter than running,
// and every known stop is stricter than unknown. Paused is stricter than draining: while
// a question to a person is open nothing continues, not even the current task (PL-33),
// which draining lets finish (RW-31).
func rank(s State) int {
	switch s {
	case "":
		return 0
	case runevents.ControlRunning:
		return 1
	case runevents.ControlDraining:
		return 3
	case runevents.ControlPaused:
		return 4
	case runevents.ControlHalted:
		return 5
	}
	return 2 // unknown, and states added by a newer version
}

// Compare returns a negative number if less is stopped under a than under b, a
// positive one if more is, and zero if they are equally strict.
func Compare(a, b State) int { return cmp.Compare(rank(a), rank(b)) }

// Stricter returns the stricter of two states.
func Stricter(a, b State) State {
	s := slices.MaxFunc([]State{a, b}, Compare)
	if rank(s) == rank(runevents.ControlUnknown) {
		return runevents.ControlUnknown
	}
	return s
}

// Strictest returns the strictest of some controls, the first of equally strict ones, and
// the zero value for none.
func Strictest(list ...runevents.Control) runevents.Control {
	var out runevents.Control
	for _, c := range list {
		if Compare(c.State, out.State) > 0 {
			out = c
		}
	}
	return out
}
