package mailbox

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

const (
	// maxHeard limits what is pending from one session's subagents, and what is remembered of it.
	maxHeard = 8
	// heardFrom is the urgency from which a subagent's interrupt is also shown to its parent (CO-9).
	heardFrom sessionevents.Urgency = 40
)

// heard holds what a session and its person receive from its subagents, each once. Unlike an interrupt it
// does not use any budget; what is pending when the process ends appears only in the report.
type heard struct {
	waiting []string
	said    []string // the latest ones
}

// urgent reports whether the parent of a subagent is notified of an interrupt: from urgency 4.0, or
// whenever it is escalated.
func urgent(i *sessionevents.InterruptFired) bool {
	return i.Urgency >= heardFrom || strings.HasSuffix(i.UrgencyLabel, "-ESCALATE")
}

// hear records, for the parent of a subagent, an interrupt of urgency 4.0 or a denial.
func (m *Mailbox) hear(session, what, s, handle string) {
	parent, own := naming.Split(session)
	if parent == "" || !m.caught || s == "" {
		return
	}
	b := m.known(parent)
	if b == nil {
		b = m.box(parent, parent)
	}
	note := "Subagent " + quote.Line(own) + " " + what + ": " + quote.Line(s)
	if slices.Contains(b.heard.said, note) {
		return
	}
	b.heard.said = text.Newest(append(b.heard.said, note), maxHeard)
	b.heard.waiting = text.Newest(append(b.heard.waiting, note+handle), maxHeard)
}

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
