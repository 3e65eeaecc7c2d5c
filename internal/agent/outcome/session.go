package outcome

import (
	"time"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// listener is the session that a user message belongs to.
type listener interface {
	Instruct(text string)
	User(text string, at time.Time)
}

// Heard gives s what a user message holds: the files that instruct the agent, and what
// the person said in their own words (SW-1, SW-13a).
func (p *Phrases) Heard(s listener, text string, at time.Time) {
	s.Instruct(p.Instructions(text))
	s.User(p.UserText(text), at)
}

// Ended sets how the call of a result ended, of which is known whether it failed: a
// refusal is not an error, and what did not succeed changed no file (SW-3). It returns
// what the person answered who refused it.
func (p *Phrases) Ended(b *sessionevents.Block, failed bool) (reply string) {
	failed = failed || b.ExitCode != nil && *b.ExitCode != 0
	if refused, answer := p.Rejected(b.Output); refused && failed {
		b.Rejected, reply = true, answer
	}
	wrong := failed && !b.Rejected
	b.IsError = &wrong
	if failed || b.Rejected {
		b.Patch = nil
	}
	return reply
}
