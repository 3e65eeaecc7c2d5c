package transcript

import "time"

// Stop reasons of turns that failed, as publishers may give them too (RW-35);
// rules/govern.yaml says which count.
const (
	StopAPIError = "api_error" // the model's API refused or did not answer
	StopError    = "error"     // the agent says that it failed, not at what
	StopCrashed  = "crashed"   // the agent's process ended in the middle of its task
)

// Fail notes that the response under way failed. Where none is, the response that
// should have come is a turn of its own, with nothing but the user's messages: a
// failure is reported even if the model said nothing.
func (s *Session) Fail(reason string, at time.Time) {
	if t := s.turn; t == nil || s.HasPending() || t.complete() {
		s.Begin("", at)
	}
	s.turn.stop, s.turn.failed = reason, true
}

// Failed reports whether the open turn failed.
func (s *Session) Failed() bool { return s.turn != nil && s.turn.failed }

// complete reports a turn whose response came to its end before.
func (t *turn) complete() bool {
	if t.failed {
		return false
	}
	return t.stop == "end_turn" || t.answered()
}

// Fail notes that the response under way failed, in the main session.
func (a *Assembler) Fail(reason string, at time.Time) { a.Main().Fail(reason, at) }
