package mailbox

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// maxHeard bounds what waits to be heard of one session's subagents, and what is remembered.
	maxHeard = 8
	// heardFrom is the urgency from which the parent of a subagent hears what that was told (CO-9).
	heardFrom sessionevents.Urgency = 40
)

// heard is what a session and its person receive from its subagents, each once. Unlike an interrupt it takes
// nothing of a budget; what was not said when the process ends is in the report only.
type heard struct {
	waiting []string
	said    []string // the latest
}

// urgent reports whether the parent of a subagent is notified of an interrupt: at 4.0, or where it is escalated
// whatever its urgency.
func urgent(i *sessionevents.InterruptFired) bool {
	return i.Urgency >= heardFrom || strings.HasSuffix(i.UrgencyLabel, "-ESCALATE")
}

// hear notes for the parent of a subagent what that was told at 4.0 or as a denial.
func (m *Mailbox) hear(session, what, text, handle string) {
	parent, own := naming.Split(session)
	if parent == "" || !m.caught || text == "" {
		return
	}
	b := m.known(parent)
	if b == nil {
		b = m.box(parent, parent)
	}
	note := "Subagent " + quote.Line(own) + " " + what + ": " + quote.Line(text)
	if slices.Contains(b.heard.said, note) {
		return
	}
	b.heard.said = keepLast(append(b.heard.said, note))
	b.heard.waiting = keepLast(append(b.heard.waiting, note+handle))
}

func keepLast(list []string) []string { return list[max(0, len(list)-maxHeard):] }

// Heard returns, once, what a session is to receive from its subagents.
func (m *Mailbox) Heard(session string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.known(session)
	if b == nil {
		return nil
	}
	waiting := b.heard.waiting
	b.heard.waiting = nil
	return waiting
}
