package preflight

import sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

// Decision is what the harness is told.
type Decision string

// Decisions. Warn lets the tool run and tells the agent, where it can be told.
const (
	Allow Decision = "allow"
	Warn  Decision = "warn"
	Deny  Decision = "deny"
)

// Class is what an answer is about; each has its own mode.
type Class string

// Classes, in the order in which they win where two are equally strict.
const (
	ClassHalt     Class = "halt"           // RW-33
	ClassSecurity Class = "security"       // DP-3
	ClassCommit   Class = "commit_to_main" // WP-4
)

// Answer is the answer to one call; the zero value of all but Decision says
// that there is nothing to say. Its texts are redacted (SW-7).
type Answer struct {
	Decision Decision `json:"decision"`
	Class    Class    `json:"class,omitempty"`
	Rule     string   `json:"rule,omitempty"` // RW-33, B1, B2, WP-4
	// Text is for the agent: a fact and what to do instead, at most 40 words (DP-20).
	Text string `json:"text,omitempty"`
	// Reason is one sentence for people. It is also set where an allow is no
	// plain one: a mute, a mode, a call that was not examined.
	Reason string `json:"reason,omitempty"`
	// Signals are the escalations found, said or not. They are no part of the
	// session's count of signals (DP-18): the turn gives those.
	Signals []sessionevents.Signal `json:"signals,omitempty"`
}

var strictness = map[Decision]int{Allow: 0, Warn: 1, Deny: 2}

// stricter is the answer that holds where both were given; the first one wins a tie.
func stricter(a, b Answer) Answer {
	signals := append(a.Signals, b.Signals...)
	if strictness[b.Decision] > strictness[a.Decision] || a.Decision == Allow && a.Reason == "" {
		a = b
	}
	a.Signals = signals
	return a
}

// allowed is an allow, with the reason why it is no plain one.
func allowed(reason string) Answer { return Answer{Decision: Allow, Reason: reason} }
