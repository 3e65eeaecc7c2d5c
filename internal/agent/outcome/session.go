package outcome

import (
	"strconv"
	"strings"
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

// Rejected reports whether a result is a person's refusal of the call, and returns the person's answer, if
// any (SW-3).
func (p *Phrases) Rejected(output string) (rejected bool, reply string) {
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	for _, phrase := range p.RejectionPhrases {
		if strings.Contains(line, phrase) {
			return true, p.reply(output)
		}
	}
	return false, ""
}

func (p *Phrases) reply(output string) string {
	for _, marker := range p.ReplyMarkers {
		if _, reply, ok := strings.Cut(output, marker); ok {
			return p.UserText(reply)
		}
	}
	return ""
}

// CodeAfter returns the number right after mark in text, as in "Exit code 1"; nil if there is none. Spaces,
// a colon and quotes may be in between.
func CodeAfter(text, mark string) *int {
	_, rest, ok := strings.Cut(text, mark)
	if !ok {
		return nil
	}
	rest = strings.TrimLeft(rest, " \t:\"=")
	end := 0
	for end < len(rest) && end < 11 && (rest[end] >= '0' && rest[end] <= '9' || end == 0 && rest[end] == '-') {
		end++
	}
	n, err := strconv.Atoi(rest[:end])
	if err != nil {
		return nil
	}
	return &n
}

// ExitLine removes the first line "Exit code 1" of a failed command, as Claude Code writes it, and returns
// the rest and the code.
func ExitLine(output string) (string, *int) {
	if !strings.HasPrefix(output, "Exit code ") {
		return output, nil
	}
	line, rest, _ := strings.Cut(output, "\n")
	code := CodeAfter(line, "Exit code ")
	if code == nil {
		return output, nil
	}
	return rest, code
}

// Beginning returns the first n bytes of text, End the last: harnesses print exit codes there, while in
// between programs print what they like.
func Beginning(text string, n int) string { return text[:min(n, len(text))] }
