package control

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

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

// OriginHeader names, on a value of the bucket CONTROL, its [Origin].
const OriginHeader = "Scaffoldwatch-Decision"

// Origin is the decision that a value of the bucket comes from. The zero value means
// unknown.
type Origin struct {
	Stream   string // identity of the DECISIONS stream it was read from
	Sequence uint64
}

// ParseOrigin reads the header of a value. The sequence is 0 if it cannot be read.
func ParseOrigin(header string) Origin {
	stream, sequence, _ := strings.Cut(header, " ")
	n, err := strconv.ParseUint(sequence, 10, 64)
	if err != nil {
		n = 0
	}
	return Origin{Stream: stream, Sequence: n}
}

// String returns the header of a value.
func (o Origin) String() string { return o.Stream + " " + strconv.FormatUint(o.Sequence, 10) }

// Aged reports whether the decision precedes the first one still in DECISIONS.
func (o Origin) Aged(first uint64) bool { return o.Sequence > 0 && o.Sequence < first }

// Kept returns the state of a bucket's value whose key has no decision in DECISIONS, so that it
// cannot be proven. A stop counts: a halt does not expire, and a forged one stops work but does not
// let any continue. Running counts only if the decision it names has expired. Anything else is
// unknown.
func Kept(value []byte, from Origin, first uint64) runevents.Control {
	c := Parse(value)
	if c.State == runevents.ControlRunning && !from.Aged(first) {
		return runevents.Control{State: runevents.ControlUnknown, Why: "the control state was not decided by the dispatcher"}
	}
	return c
}

// Parse reads a value of the bucket; an unreadable value is unknown.
func Parse(value []byte) runevents.Control {
	var c runevents.Control
	if json.Unmarshal(value, &c) != nil || rank(c.State) == 0 || Stricter(c.State, "") != c.State {
		return runevents.Control{State: runevents.ControlUnknown, Why: "unreadable control state"}
	}
	return c
}
