package transcript

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// Settle completes the open turns whose calls all have results; the caller knows that the response is
// complete. A turn without a call stays open: it ends the agent's task, and its outcome is not known yet.
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

// answered reports whether the turn has calls and each has its result. Results name their call; those
// without an id are counted against the calls without one.
func (t *turn) answered() bool {
	open := map[string]int{}
	calls := 0
	for i := range t.blocks {
		switch b := &t.blocks[i]; b.Type {
		case sessionevents.BlockToolCall:
			open[b.ID]++
			calls++
		case sessionevents.BlockToolResult:
			open[b.ID]--
		}
	}
	for _, n := range open {
		if n > 0 {
			return false
		}
	}
	return calls > 0
}
