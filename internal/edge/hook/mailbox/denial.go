package mailbox

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Denial is what an agent received before a tool ran: that it did not run and why, or what it would
// destroy.
type Denial struct {
	Session  string
	Detector string // detector that made the finding
	Text     string // the finding's message, in the words of an interrupt
	Begins   string // alternatively, how an interrupt about the same act begins, "" for none
	Channel  string // channel of the reply
	Refused  bool   // the tool did not run
}

// maxDenials limits the denials that are remembered of one session.
const maxDenials = 16

// Denied records a denial: the interrupt that follows from the same finding is not emitted as well (DP-24).
func (m *Mailbox) Denied(d Denial) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.known(d.Session)
	if b == nil {
		b = m.box(d.Session, d.Session)
	}
	b.denials = text.Newest(append(b.denials, d), maxDenials)
	if d.Refused {
		m.hear(d.Session, "was denied a call", d.Text, "")
	}
}

// denied returns the denial with the content of an interrupt, nil if there is none.
func (b *box) denied(i *sessionevents.InterruptFired) *Denial {
	at := slices.IndexFunc(b.denials, func(d Denial) bool {
		return d.Detector == i.Detector && (i.Message == d.Text || strings.HasPrefix(i.Message, d.Text+" (Seen ") || d.Begins != "" && strings.HasPrefix(i.Message, d.Begins+" "))
	})
	if at < 0 {
		return nil
	}
	return &b.denials[at]
}

// already records an interrupt as emitted by the denial with the same content.
func (m *Mailbox) already(b *box, i *sessionevents.InterruptFired, said *Denial) {
	fact := sessionevents.InterruptDelivery{
		Interrupt: i.ID, Session: i.Session, Turn: i.Turn, State: sessionevents.DeliveryEmitted, Channel: said.Channel, By: By,
	}
	b.emit(fact, false)
	m.settle(Fact{i.Run, fact})
}
