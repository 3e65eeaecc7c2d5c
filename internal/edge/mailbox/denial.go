package mailbox

import (
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Denial is what an agent was told before a tool ran: that it did not run and why, or what
// it would destroy.
type Denial struct {
	Session  string
	Detector string // whose finding it was
	Text     string // the finding's message, as an interrupt would have it
	Begins   string // or how an interrupt about the same act begins, "" for none
	Channel  string // of the reply
	Refused  bool   // the tool did not run
}

// maxDenials bounds the denials that are remembered of one session.
const maxDenials = 16

// Denied notes a denial: the interrupt that follows from the same finding is not
// said again (DP-24).
func (m *Mailbox) Denied(d Denial) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.known(d.Session)
	if b == nil {
		b = m.box(d.Session, d.Session)
	}
	b.denials = append(b.denials, d)
	b.denials = b.denials[max(0, len(b.denials)-maxDenials):]
	if d.Refused {
		m.hear(d.Session, "was denied a call", d.Text, "")
	}
}

// denied returns the denial that said what an interrupt says, nil without one.
func (b *box) denied(i *sessionevents.InterruptFired) *Denial {
	at := slices.IndexFunc(b.denials, func(d Denial) bool {
		return d.Detector == i.Detector && (i.Message == d.Text || strings.HasPrefix(i.Message, d.Text+" (Seen ") || d.Begins != "" && strings.HasPrefix(i.Message, d.Begins+" "))
	})
	if at < 0 {
		return nil
	}
	return &b.denials[at]
}

// already notes an interrupt as emitted by the denial that said the same.
func (m *Mailbox) already(b *box, i *sessionevents.InterruptFired, said *Denial) {
	fact := sessionevents.InterruptDelivery{
		Interrupt: i.ID, Session: i.Session, Turn: i.Turn, State: sessionevents.DeliveryEmitted, Channel: said.Channel, By: By,
	}
	b.emit(fact, false)
	m.settle(Fact{i.Run, fact})
}
