package events

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/invalid"
)

// Limits bound what is accepted from outside (EV-3).
type Limits struct {
	// Data is the maximum size of an event's data as JSON, in bytes.
	Data int
	// Depth is the maximum nesting of objects and arrays in the data.
	Depth int
}

// DefaultLimits are 4 MiB of data and 64 levels (EV-3).
func DefaultLimits() Limits { return Limits{Data: 4 << 20, Depth: 64} }

// orDefault returns the limits with defaults for unset fields.
func (l Limits) orDefault() Limits {
	d := DefaultLimits()
	if l.Data > 0 {
		d.Data = l.Data
	}
	if l.Depth > 0 {
		d.Depth = l.Depth
	}
	return d
}

func (l Limits) check(data []byte) error {
	if len(data) > l.Data {
		return &invalid.Error{
			Code: invalid.TooLarge, Field: "data", Problem: fmt.Sprintf("%d bytes, the limit is %d", len(data), l.Data),
			Cure: "shorten tool output (pkg/client does), or send the turn in parts",
		}
	}
	if d := nesting(data); d > l.Depth {
		return &invalid.Error{Code: invalid.TooDeep, Field: "data", Problem: fmt.Sprintf("nested %d levels deep, the limit is %d", d, l.Depth), Cure: "flatten the data"}
	}
	return nil
}

// nesting returns the deepest nesting of objects and arrays in JSON text; 0 for a bare
// value. It does not validate the text.
func nesting(data []byte) int {
	depth, deepest := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i) - 1
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}
