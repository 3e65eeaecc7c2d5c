package control

import (
	"encoding/json"
	"strconv"
	"strings"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

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
