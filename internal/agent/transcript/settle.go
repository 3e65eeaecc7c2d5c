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

// ends are the stop reasons of a response that ended its task.
var ends = map[string]bool{"end_turn": true, "stop": true, "stop_sequence": true, "interrupted": true}

// Rest completes the open turns whose response has ended and that nothing follows: whoever follows a
// transcript has not seen it grow for a while. Those have no call without a result and a stop reason that
// ends the task. After a long while a turn without any call and reason counts, too; before that the model
// may still be writing its first call, which belongs to the same turn (IN-2).
func (a *Assembler) Rest(long bool) {
	for _, s := range a.order {
		if t := s.turn; t != nil && (ends[t.stop] && t.unanswered() == 0 || long && t.stop == "" && t.calls() == 0) {
			s.Flush()
		}
	}
}

// answered reports whether the turn has calls and each has its result.
func (t *turn) answered() bool { return t.calls() > 0 && t.unanswered() == 0 }

func (t *turn) calls() (n int) {
	for i := range t.blocks {
		if t.blocks[i].Type == sessionevents.BlockToolCall {
			n++
		}
	}
	return n
}

// unanswered returns the number of calls without a result. Results name their call; those without an id are
// counted against the calls without one.
func (t *turn) unanswered() (n int) {
	open := map[string]int{}
	for i := range t.blocks {
		switch b := &t.blocks[i]; b.Type {
		case sessionevents.BlockToolCall:
			open[b.ID]++
		case sessionevents.BlockToolResult:
			open[b.ID]--
		}
	}
	for _, count := range open {
		n += max(0, count)
	}
	return n
}
