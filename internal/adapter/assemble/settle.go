package assemble

import "github.com/scaffoldwatch/scaffoldwatch/pkg/events"

// Settle completes the open turns whose calls all have their results: whoever
// calls it knows that the response is whole.
func (a *Assembler) Settle() {
	for _, s := range a.order {
		if s.turn != nil && s.turn.answered() {
			s.Flush()
		}
	}
}

// Flush completes all open turns.
func (a *Assembler) Flush() {
	for _, s := range a.order {
		s.Flush()
	}
}

// answered reports whether each call of the turn has its result. Results name
// their call; those without an id answer the calls without one, in number.
func (t *turn) answered() bool {
	open := map[string]int{}
	for i := range t.blocks {
		switch b := &t.blocks[i]; b.Type {
		case events.BlockToolCall:
			open[b.ID]++
		case events.BlockToolResult:
			open[b.ID]--
		}
	}
	for _, n := range open {
		if n > 0 {
			return false
		}
	}
	return true
}
