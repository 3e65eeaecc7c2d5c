package transcript

import "time"

// Stop reasons of turns that failed, which publishers may also give (RW-35); rules/govern.yaml lists which
// count.
const (
	StopAPIError = "api_error" // the model's API rejected the request or did not answer
	StopError    = "error"     // the agent reports that it failed, without the cause
	StopCrashed  = "crashed"   // the agent's process exited in the middle of its task
)

// Fail records that the current response failed. If there is none, the response that should have followed
// becomes a turn with only the user's messages: a failure is reported even if the model said nothing.
func (s *Session) Fail(reason string, at time.Time) {
	if t := s.turn; t == nil || s.HasPending() || t.complete() {
		s.Begin("", at)
	}
	s.turn.stop, s.turn.failed = reason, true
}

// complete reports whether the turn's response has already ended.
func (t *turn) complete() bool {
	if t.failed {
		return false
	}
	return ends[t.stop] || t.answered()
}

// Fail records that the current response of the main session failed.
func (a *Assembler) Fail(reason string, at time.Time) { a.Main().Fail(reason, at) }
